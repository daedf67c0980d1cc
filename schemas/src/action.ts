/** `action.requested`: an agent states the action that it is about to execute. */
import { z } from 'zod';
import { CAPS } from './defaults.ts';
import { described } from './described.ts';
import { micros } from './money-shapes.ts';
import { count, id, parsedJson, plainId, tenant, time } from './scalars.ts';

/** The user for whom the agent acts. The caller claims it, unless the API key pins it. */
export const principal = z.strictObject({
  id: described(id, 'The id of the user. The caller claims it, unless the API key pins it.', 'u1'),
  role: described(
    id.optional(),
    'The role of the user. The caller claims it, unless the API key pins it.',
    'user',
  ),
});

const everyAction = {
  id: described(
    id,
    'The id of the action. The agent chooses it, and uses it for one action only.',
    'act_7f3a',
  ),
  tenant: described(
    tenant.optional(),
    'The tenant of the action. Default: the tenant of the API key.',
    'default',
  ),
  agentId: described(plainId, 'The agent that acts.', 'airline-007'),
  estimatedCostMicros: described(
    micros.optional(),
    'What the caller believes that the action costs, in micro-dollars. The caller claims it: a higher known price counts instead.',
    100_000,
  ),
  idempotencyKey: described(
    id.optional(),
    'A key of the caller. Another action with the same key is a duplicate.',
    'cert-mia_li_3668-1',
  ),
  mandateId: described(
    id.optional(),
    'The grant, or the mandate of the file, under which the agent acts.',
    'support-bot',
  ),
  parentActionId: described(id.optional(), 'The action that caused this one.', 'act_7f00'),
  principal: described(principal.optional(), 'The user for whom the agent acts.'),
  context: described(
    z.record(z.string(), parsedJson).optional(),
    'What the caller says about the situation of the action. The caller claims each field, unless the API key pins it. Rules believe it.',
    { environment: 'prod' },
  ),
  attempt: described(
    z.int().min(1).max(CAPS.attempts).optional(),
    'The number of the attempt, from 1. A retry has a higher number. Default: 1.',
    1,
  ),
  requestedAt: described(time.optional(), 'When the agent asked, by its own clock. It decides nothing.'),
  deadlineMs: described(
    z.int().min(1).max(CAPS.deadlineMs).optional(),
    'How long the request may wait for its decision, in milliseconds from its append to the log.',
    5_000,
  ),
};

export const toolCall = z.strictObject({
  ...everyAction,
  type: described(z.literal('tool_call'), 'A call of a tool.'),
  tool: described(plainId, 'The name of the tool.', 'send_certificate'),
  args: described(z.record(z.string(), parsedJson).optional(), 'The arguments of the call.', {
    user_id: 'mia_li_3668',
    amount: 50,
  }),
});

export const llmCall = z.strictObject({
  ...everyAction,
  type: described(z.literal('llm_call'), 'A call of a language model.'),
  provider: described(plainId.optional(), 'The provider that is called. The caller claims it.', 'anthropic'),
  model: described(plainId, 'The name of the model, in any spelling of a provider.', 'claude-sonnet-4-5'),
  inputTokens: described(
    z.int().min(1).optional(),
    'All input tokens, cached or not. Absent if the caller does not know the number.',
    1_200,
  ),
  maxOutputTokens: described(count.optional(), 'The maximum number of tokens that the model may write.', 800),
});

/** Every kind of action. action-kinds.ts contains everything else that differs between kinds. */
export const action = z.discriminatedUnion('type', [toolCall, llmCall]);
export type ToolCall = z.infer<typeof toolCall>;
export type LlmCall = z.infer<typeof llmCall>;
export type Action = z.infer<typeof action>;
export type ActionType = Action['type'];

/**
 * The fields of an action that its API key fixes: `context.environment`, `action.principal`. The gateway writes them
 * into the headers of the record. On a topic that a tenant writes itself, no field is fixed, so every field is a
 * claim.
 */
export type Pinned = {
  /** The names of the fixed fields. Rules can read this list as `action.pinned`. */
  readonly pinned: readonly string[];
  /** The public id of the API key. */
  readonly pinnedBy: string;
};

/** An action, with the names of its pinned fields. */
export type AskedAction = Action & Partial<Pinned>;

/**
 * A redacted action in a decision. It may contain unknown fields, which readers leave out. So an older reader can
 * read the records of a newer writer. A request may not contain unknown fields.
 */
const remembered = {
  principal: described(z.object(principal.shape).optional(), 'The user for whom the agent acts.'),
  pinned: described(
    z.array(z.string()).optional(),
    'The fields that the API key fixed. Everything else in the action is a claim of the caller.',
    ['context.environment'],
  ),
  pinnedBy: described(id.optional(), 'The id of the API key that fixed these fields.', '7dQ1xYb0aKpL'),
};
export const actionSnapshot = z.discriminatedUnion('type', [
  z.object({ ...toolCall.shape, ...remembered }),
  z.object({ ...llmCall.shape, ...remembered }),
]);

export const actionRequested = z
  .strictObject({
    event: described(z.literal('action.requested'), 'The kind of the record.'),
    action: described(action, 'What the agent is about to do.'),
  })
  .meta({ title: 'action.requested', description: 'An agent asks whether it may do an action.' });
export type ActionRequested = z.infer<typeof actionRequested>;
