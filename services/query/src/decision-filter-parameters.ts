/** The query parameters that filter decisions. All routes about decisions have the same ones. */
import { type DecisionFilter, SHADOW_FILTERS } from '@mandate/audit';
import { normalModel, normalProvider } from '@mandate/policy';
import type { Clock } from '@mandate/runtime';
import { action, CODES, DECISION_KINDS, described, GOVERNANCE_EVENTS, id, VERDICTS } from '@mandate/schemas';
import { HttpProblem } from '@mandate/server';
import { z } from 'zod';
import { anyOf, period, wholeNumber } from './query-parameters.ts';

export const decisionFilterParameters = (clock: Clock) => ({
  agent: described(
    anyOf(id),
    'Only decisions on this agent. May be repeated, like every filter by a name: any of them.',
    'airline-007',
  ),
  actionId: described(
    anyOf(id),
    'Only decisions on this action. Two agents may use the same action id.',
    'act_7f3a',
  ),
  parentAction: described(anyOf(id), 'Only actions that name this action as their parent.', 'act_7f00'),
  tool: described(anyOf(id), 'Only calls of this tool.', 'get_user'),
  model: described(
    anyOf(id),
    'Only LLM calls of this model, in any spelling: `openai/GPT-4o` finds `gpt-4o`.',
    'gpt-4o',
  ),
  provider: described(anyOf(id), 'Only LLM calls to this provider, by any of its names.', 'anthropic'),
  type: described(
    anyOf(z.enum(action.options.map((option) => option.shape.type.value))),
    'Only actions of this kind.',
    'tool_call',
  ),
  verdict: described(anyOf(z.enum(VERDICTS)), 'Only decisions with this verdict.', 'BLOCK'),
  code: described(anyOf(z.enum(CODES)), 'Only decisions with this code.', 'RATE_LIMIT_EXCEEDED'),
  observedCode: described(
    anyOf(z.enum(CODES)),
    'Only decisions under a mandate that observes, if enforcement would have given this code.',
    'TOOL_DENIED',
  ),
  shadow: described(
    anyOf(z.enum(SHADOW_FILTERS)),
    'Only decisions for which the rules in shadow would have given this verdict. `differs`: another verdict than the decision.',
    'differs',
  ),
  kind: described(
    anyOf(z.enum(DECISION_KINDS)),
    'Only decisions of this kind. `first` and `expired` decide an attempt. `duplicate` and `unremembered` do not.',
    'first',
  ),
  principal: described(anyOf(id), 'Only actions for this user.', 'u1'),
  role: described(anyOf(id), 'Only actions for users with this role.', 'user'),
  mandate: described(anyOf(id), 'Only decisions under the mandate with this id.', 'support-bot'),
  policy: described(
    anyOf(id),
    'Only decisions under this policy: in any version, or in one (`name@3`).',
    'read-only@3',
  ),
  rule: described(anyOf(id), 'Only decisions under a policy that this rule gave.', 'support-reads'),
  event: described(
    anyOf(z.enum(GOVERNANCE_EVENTS)),
    'Only decisions that a policy marks with this event (`log_events`).',
    'permission_denied',
  ),
  trace: described(
    anyOf(z.string().regex(/^[0-9a-f]{32}$/, 'a trace id is 32 hexadecimal digits')),
    'Only decisions of the trace with this id.',
    '4bf92f3577b34da6a3ce929d0e0e4736',
  ),
  minChargedMicros: described(
    wholeNumber.optional(),
    'Only decisions that charged at least this amount, in micro-dollars.',
    100_000,
  ),
  maxChargedMicros: described(
    wholeNumber.optional(),
    'Only decisions that charged at most this amount, in micro-dollars.',
    1_000_000,
  ),
  text: described(
    z.string().min(1).max(200).optional(),
    'A text that the reason, a name or a value of the arguments contains. Upper and lower case are equal, and every character matches only itself.',
    'refund',
  ),
  ...period(clock),
});

type Given = z.output<z.ZodObject<ReturnType<typeof decisionFilterParameters>>>;

/** Returns the filter for questions to the audit. Throws HttpProblem 400 for a period that ends before it begins. */
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
  throw new HttpProblem(400, 'VALIDATION_FAILED', '`to` is before `from`', {
    remedy: 'Give a period that begins before it ends.',
  });
}
