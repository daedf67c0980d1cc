/** The query parameters that filter decisions, the same in every route about decisions. */
import { type DecisionFilter, SHADOW_FILTERS } from '@mandate/audit';
import { normalModel, normalProvider } from '@mandate/policy';
import type { Clock } from '@mandate/runtime';
import { action, CODES, DECISION_KINDS, id, VERDICTS } from '@mandate/schemas';
import { HttpProblem } from '@mandate/server';
import { z } from 'zod';
import { anyOf, period, wholeNumber } from './query-parameters.ts';

export const decisionFilterParameters = (clock: Clock) => ({
  agent: anyOf(id).describe('Of this agent. Like all that name something it may be repeated: any of them.'),
  actionId: anyOf(id).describe('Of one action: ids of actions are unique per agent only.'),
  parentAction: anyOf(id).describe('Of actions that name this one as their parent.'),
  tool: anyOf(id)
    .describe('Calls of this tool.')
    .meta({ examples: ['get_user'] }),
  model: anyOf(id).describe(
    'LLM calls of this model, however its name is spelled: `openai/GPT-4o` finds `gpt-4o`.',
  ),
  provider: anyOf(id).describe('LLM calls to this provider, by any of its names.'),
  type: anyOf(z.enum(action.options.map((option) => option.shape.type.value))).describe(
    'Of this type of action.',
  ),
  verdict: anyOf(z.enum(VERDICTS)).describe('Decided so.'),
  code: anyOf(z.enum(CODES)).describe('Decided so for this reason.'),
  observedCode: anyOf(z.enum(CODES)).describe('What a mandate that only observes would have said.'),
  shadow: anyOf(z.enum(SHADOW_FILTERS)).describe(
    'What rules in shadow would have said; differs: another verdict than the one that fell.',
  ),
  kind: anyOf(z.enum(DECISION_KINDS)).describe(
    'The first on an attempt, or one on what was decided before, or came too late.',
  ),
  principal: anyOf(id).describe('On whose behalf the agent acted.'),
  role: anyOf(id).describe('Of the principal.'),
  mandate: anyOf(id).describe('Decided under the mandate of this id.'),
  policy: anyOf(id).describe('Of which the mandate is composed: a policy, or one version of it (name@3).'),
  rule: anyOf(id).describe('By which the mandate came to apply.'),
  trace: anyOf(z.string().regex(/^[0-9a-f]{32}$/, 'a trace id is 32 hexadecimal digits')).describe(
    'Of the trace with this id.',
  ),
  minChargedMicros: wholeNumber.optional().describe('Charged at least so many micro-dollars.'),
  maxChargedMicros: wholeNumber.optional().describe('Charged at most so many micro-dollars.'),
  text: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .describe(
      'Text in the reason, or in a name or a value of the arguments, as the agent gave them. Case does not matter; every sign is taken literally.',
    ),
  ...period(clock),
});

type Given = z.output<z.ZodObject<ReturnType<typeof decisionFilterParameters>>>;

/**
 * Returns the filter as the audit's questions take it. Throws HttpProblem 400 for a period that ends before it
 * begins.
 */
export function decisionFilterOf(tenant: string, given: Given): DecisionFilter {
  const { agent, parentAction, trace, model, provider, from, to, ...same } = given;
  mustBeInOrder(from, to);
  return {
    ...same,
    tenant,
    agentId: agent,
    parentActionId: parentAction,
    model: model?.map(normalModel),
    provider: provider?.map(normalProvider),
    traceId: trace,
    fromMs: from,
    toMs: to,
  };
}

function mustBeInOrder(from: number | undefined, to: number | undefined): void {
  if (from === undefined || to === undefined || from <= to) return;
  throw new HttpProblem(400, 'VALIDATION_FAILED', '`to` lies before `from`', {
    remedy: 'Give a period that begins before it ends.',
  });
}
