/**
 * The filters for decisions, in searches, sums and exports. A list matches any of its values. A decision must match
 * all given filters. Times are epoch milliseconds: `from` is included, `to` is excluded.
 */
import {
  ACTION_TYPES,
  CODES,
  DECISION_KINDS,
  END_OF_TIME_MS,
  GOVERNANCE_EVENTS,
  id,
  SHADOW_VERDICTS,
  tenant,
  VERDICTS,
} from '@mandate/schemas';
import { z } from 'zod';
import { narrowed } from '../question.ts';
import { TEXT_SEARCH } from './text-search.ts';

const timeMs = z
  .int()
  .min(0)
  .max(END_OF_TIME_MS + 1);

export const period = { fromMs: timeMs.optional(), toMs: timeMs.optional() };

const MOST_VALUES = 100;

const anyOf = <Value extends z.ZodType<string>>(value: Value) =>
  z.array(value).min(1).max(MOST_VALUES).optional();

/** `differs`: the shadow verdict is known and differs from the verdict of the decision. */
export const SHADOW_FILTERS = [...SHADOW_VERDICTS, 'differs'] as const;

export const decisionFilter = z.strictObject({
  tenant,
  agentId: anyOf(id),
  actionId: anyOf(id),
  parentActionId: anyOf(id),
  subject: anyOf(id),
  tool: anyOf(id),
  model: anyOf(id),
  provider: anyOf(id),
  type: anyOf(z.enum(ACTION_TYPES)),
  verdict: anyOf(z.enum(VERDICTS)),
  code: anyOf(z.enum(CODES)),
  observedCode: anyOf(z.enum(CODES)),
  shadow: anyOf(z.enum(SHADOW_FILTERS)),
  kind: anyOf(z.enum(DECISION_KINDS)),
  principal: anyOf(id),
  role: anyOf(id),
  mandate: anyOf(id),
  policy: anyOf(id),
  rule: anyOf(id),
  event: anyOf(z.enum(GOVERNANCE_EVENTS)),
  traceId: anyOf(z.string().regex(/^[0-9a-f]{32}$/)),
  minChargedMicros: z.int().min(0).optional(),
  maxChargedMicros: z.int().min(0).optional(),
  /** A text to find in the reason, and in the names and values of the arguments. Case does not matter. */
  text: z.string().min(1).max(200).optional(),
  ...period,
});
export type DecisionFilter = z.output<typeof decisionFilter>;

/** The SQL condition of each filter, on the columns of `decisions`. */
const FRAGMENTS: Readonly<Record<Exclude<keyof DecisionFilter, 'tenant'>, string>> = {
  agentId: 'agent_id IN {agentId:Array(String)}',
  actionId: 'action_id IN {actionId:Array(String)}',
  parentActionId: 'parent_action_id IN {parentActionId:Array(String)}',
  subject: 'subject IN {subject:Array(String)}',
  tool: 'tool IN {tool:Array(String)}',
  model: 'model IN {model:Array(String)}',
  provider: 'provider IN {provider:Array(String)}',
  type: 'type IN {type:Array(String)}',
  verdict: 'verdict IN {verdict:Array(String)}',
  code: 'code IN {code:Array(String)}',
  observedCode: 'observed_code IN {observedCode:Array(String)}',
  shadow: `(shadow_verdict IN {shadow:Array(String)}
        OR (has({shadow:Array(String)}, 'differs') AND shadow_verdict NOT IN ('', 'UNKNOWN') AND shadow_verdict != verdict))`,
  kind: 'kind IN {kind:Array(String)}',
  principal: 'principal_id IN {principal:Array(String)}',
  role: 'principal_role IN {role:Array(String)}',
  mandate: 'mandate_id IN {mandate:Array(String)}',
  // The filter `policy` may be a name, which matches every version of the policy.
  policy:
    "hasAny(arrayConcat(policies, arrayMap(each -> splitByChar('@', each)[1], policies)), {policy:Array(String)})",
  rule: 'hasAny(rules, {rule:Array(String)})',
  event: 'hasAny(events, {event:Array(String)})',
  traceId: 'trace_id IN {traceId:Array(String)}',
  minChargedMicros: 'charged_micros >= {minChargedMicros:Int64}',
  maxChargedMicros: 'charged_micros <= {maxChargedMicros:Int64}',
  text: TEXT_SEARCH,
  fromMs: "decided_at >= fromUnixTimestamp64Milli({fromMs:Int64}, 'UTC')",
  toMs: "decided_at < fromUnixTimestamp64Milli({toMs:Int64}, 'UTC')",
};

/** Returns ` AND …` for each given filter, on the columns of `decisions`. */
export function decisionsNarrowed(params: Partial<DecisionFilter>): string {
  return narrowed(params, FRAGMENTS);
}
