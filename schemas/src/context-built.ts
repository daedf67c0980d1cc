/** A record of the context topic: what the context builder picked for one chat request, or why it picked nothing. */
import { z } from 'zod';
import { principal } from './action-fields.ts';
import { described } from './described.ts';
import { count, id, plainId, tenant, time } from './scalars.ts';

export const CONTEXT_QUESTION_TYPES = [
  'relationship_identity',
  'emotional_support',
  'factual_profile',
  'presence_check',
  'task_request',
  'casual',
  'general',
] as const;

/** The most items of each list of a manifest. */
export const CONTEXT_ITEMS = { context_early: 3, context_reinforce: 5, answer_guidance: 5 } as const;

const items = z.array(z.string());

/** The texts may be redacted or sealed, so their lengths are not limited here. */
const manifest = z.object({
  focus: described(z.string(), 'What the message is about.', 'Who Ann is to the user'),
  question_type: described(z.enum(CONTEXT_QUESTION_TYPES), 'The kind of question.'),
  context_early: described(items, 'Facts for the beginning of the prompt.', ["Ann is the user's sister"]),
  context_reinforce: described(items, 'Facts directly before the message.', ['Ann was born in 1990']),
  answer_guidance: described(items, 'Suggestions for the answer.', ['Name Ann as the sister']),
});

const sizes = z.object({
  message_chars: described(count, 'The code points of the message that were sent to the model.', 11),
  relationship_chars: described(count, 'The code points of the relationship.', 11),
  profile_chars: described(count, 'The code points of the profile.', 7),
  recent_turns: described(count, 'The turns of the conversation that were sent.', 1),
  recent_chars: described(count, 'The code points of these turns.', 2),
  truncated: described(z.boolean(), 'Whether something was cut or dropped.', false),
});

const promptDebug = z.object({
  system_prompt: described(
    z.string(),
    'The instructions to the model.',
    'You prepare the context of a chat.',
  ),
  user_prompt: described(z.string(), 'The data for the model.', '<message>\nWho is Ann?\n</message>'),
  raw_response: described(z.string().nullable(), 'The answer of the model. null: there is none.', '{}'),
});

const SKIP_REASONS = ['flag_disabled', 'channel_override_none', 'clarification_turn'] as const;

const ERRORS = [
  ...(['TRUNCATED', 'REFUSED', 'EMPTY_ANSWER', 'INVALID_JSON', 'INVALID_SHAPE'] as const),
  ...(['INVALID_QUESTION_TYPE', 'BLOCKED', 'UNDECIDED', 'TIMEOUT', 'PROVIDER_ERROR'] as const),
  ...(['CANCELLED', 'INTERNAL_ERROR'] as const),
] as const;

const step = z.object({
  enabled: described(z.boolean(), 'Whether the builder was switched on.', true),
  skipped: described(z.boolean(), 'Whether the request needed no manifest.', false),
  skip_reason: described(z.enum(SKIP_REASONS).nullable(), 'Why it was skipped. null: it was not.'),
  template_key: described(z.string(), 'The template of the prompts.', 'agent.manifest-builder'),
  input: described(sizes.nullable(), 'How much was sent to the model. null: the request was skipped.'),
  output: described(manifest.nullable(), 'The manifest. null: there is none.'),
  latency_ms: described(
    count.nullable(),
    'How long decision and call took together, in milliseconds. null: the request was skipped.',
    405,
  ),
  prompt_debug: described(
    promptDebug.nullable(),
    'The conversation with the model. null: the program does not record it.',
  ),
  error: described(
    z
      .object({
        code: described(z.enum(ERRORS), 'Why there is no manifest.'),
        detail: described(
          z.string().optional(),
          'The code of the decision, or the HTTP status of the provider. Absent if the code says all.',
          'COST_LIMIT_EXCEEDED',
        ),
      })
      .nullable(),
    'Why there is no manifest. null: there is one, or the request was skipped.',
  ),
});

const build = z.object({
  id: described(id, 'The id of the record.', 'ctx_01ke7t3v8c8d1f0a2b3c4d5e6f7a8b'),
  tenant: described(tenant, 'The tenant of the key that reported it.', 'acme'),
  agentId: described(plainId, 'The agent of the builder.', 'context-builder'),
  requestId: described(id, 'The request of the chat, as the program names it.', 'chat-4711'),
  actionId: described(
    id.nullable(),
    'The action of the model call. null: there was no decision about one.',
    'act_7f3a',
  ),
  parentActionId: described(id.nullable(), 'The action of the main call. null: none was stated.', 'act_7f00'),
  principal: described(principal.nullable(), 'The user for whom the main agent acts. null: none was stated.'),
  builtAt: described(time, 'When the builder finished, by the clock of the program.'),
  steps: described(
    z.object({ manifest_builder: described(step, 'The step of the context builder.') }),
    'The steps of the request.',
  ),
});
export type ContextBuild = z.infer<typeof build>;

/** The most UTF-16 units of a text of a manifest: 300 code points. */
const MOST_ITEM_UNITS = 600;

function isWithinLimits({ steps: { manifest_builder } }: { steps: ContextBuild['steps'] }): boolean {
  const { output } = manifest_builder;
  if (output === null) return true;
  const { context_early, context_reinforce, answer_guidance } = CONTEXT_ITEMS;
  return (
    output.context_early.length <= context_early &&
    output.context_reinforce.length <= context_reinforce &&
    output.answer_guidance.length <= answer_guidance &&
    [output.focus, ...output.context_early, ...output.context_reinforce, ...output.answer_guidance].every(
      (text) => text.length <= MOST_ITEM_UNITS,
    )
  );
}

/** A record as a program reports it to the gateway. The tenant is the tenant of its key. */
export const reportedBuild = z.object({
  event: described(z.literal('context.built'), 'The kind of the record.'),
  build: described(
    build.omit({ tenant: true }).refine(isWithinLimits, {
      error: 'has more or longer items than a manifest may have',
      path: ['steps'],
    }),
    'What the context builder did for one request.',
  ),
});
export type ReportedBuild = z.infer<typeof reportedBuild>;

export const contextBuilt = z
  .object({
    event: described(z.literal('context.built'), 'The kind of the record.'),
    reportedBy: described(
      z.object({ keyId: described(id, 'The id of the API key that reported it.', '7dQ1xYb0aKpL') }),
      'Who reported it. The plane only records it.',
    ),
    build: described(build, 'What the context builder did for one request.'),
  })
  .meta({
    title: 'context.built',
    description: 'The context builder picked the context of a chat request, or says why it did not.',
  });
export type ContextBuilt = z.infer<typeof contextBuilt>;

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Reads a record of the context topic. Throws on any other content. */
export function readContextRecord(value: Uint8Array): ContextBuilt {
  return contextBuilt.parse(JSON.parse(utf8.decode(value)));
}
