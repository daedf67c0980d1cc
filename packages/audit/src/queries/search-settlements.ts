/**
 * The settlements, newest first. A settlement says how an outcome changed a charge. `before` is the last id of the
 * previous page, as for decisions.
 */
import { described, id, settlement, tenant, time } from '@mandate/schemas';
import { z } from 'zod';
import { narrowed, question } from '../question.ts';
import { period } from './decision-filter.ts';

/** A filter: one value, or a list that matches any of its values. */
export const anyOf = z.union([id.transform((one) => [one]), z.array(id).min(1).max(100)]).optional();

/** The filters for settlements, in searches, following and exports. */
export const settlementFilter = z.strictObject({
  tenant,
  agentId: anyOf,
  actionId: anyOf,
  /** The code SETTLED, or a mark. A settlement may have several marks, and the filter matches any of them. */
  code: anyOf,
  ...period,
});
export type SettlementFilter = z.output<typeof settlementFilter>;

export const SETTLEMENT_COLUMNS = `id, kind, action_id AS actionId, attempt, agent_id AS agentId, status, code,
      delta_micros AS deltaMicros, charged_micros AS chargedMicros, cumulative_micros AS cumulativeMicros, late,
      excess_micros AS excessMicros, released_micros AS releasedMicros,
      input_tokens AS inputTokens, cached_input_tokens AS cachedInputTokens, cache_write_tokens AS cacheWriteTokens,
      output_tokens AS outputTokens, reasoning_tokens AS reasoningTokens, usage_micros AS usageMicros,
      tool_calls AS toolCalls,
      marks, reason, may_release AS mayRelease, nullIf(reported_by, '') AS reportedBy,
      settled_at AS settledAt, log_topic AS logTopic, log_partition AS logPartition, log_offset AS logOffset`;

const reportedTokens = (meaning: string, example: number) =>
  described(z.int().nullable(), `${meaning} null: no tokens were reported.`, example);

export const settlementSummary = z.object({
  id: described(z.string(), 'The id of the settlement.', 'stl_01ke6qxgf1b34d9107f5a24cc10e77b2'),
  kind: settlement.shape.kind,
  actionId: described(z.string(), 'The action that was settled.', 'act_7f3a'),
  attempt: described(z.int(), 'The attempt that was settled, from 1.', 1),
  agentId: described(z.string(), 'The agent that ran the action.', 'airline-007'),
  status: settlement.shape.status,
  code: settlement.shape.code,
  deltaMicros: z.int(),
  chargedMicros: z.int(),
  cumulativeMicros: z.int(),
  late: described(z.boolean(), 'Whether the lease of the call had run out before the outcome came.', false),
  excessMicros: z.int(),
  releasedMicros: z.int(),
  inputTokens: reportedTokens('All input tokens.', 9_200),
  cachedInputTokens: reportedTokens('How many of the input tokens were read from a cache.', 8_000),
  cacheWriteTokens: reportedTokens('How many of the input tokens were written to a cache.', 1_000),
  outputTokens: reportedTokens('All output tokens.', 640),
  reasoningTokens: described(
    z.int().nullable(),
    'How many of the output tokens were reasoning. null: the outcome did not say.',
    512,
  ),
  usageMicros: described(
    z.int().nullable(),
    'What the tokens cost by the prices of the decision, in micro-dollars. null: no tokens were reported, or they have no price.',
    20_430,
  ),
  toolCalls: described(
    z.array(
      z.object({
        tool: described(z.string(), 'The name of the tool. Empty: all other tools.', 'get_user'),
        calls: described(z.int(), 'How often the answer asks for the tool.', 2),
      }),
    ),
    'The calls of tools that the answer of the model asks for. Empty: none were reported.',
  ),
  marks: settlement.shape.marks,
  reason: described(
    z.string(),
    'What happened, as a sentence. Empty: it was recorded without a reason.',
    'The action costs $0.091 in all.',
  ),
  mayRelease: z.boolean(),
  /** The key that reported the outcome. Null if a producer reported it, or if the key was not recorded. */
  reportedBy: z.string().nullable(),
  settledAt: described(time, 'When it was settled, by the clock of the ledger.'),
  logTopic: z.string(),
  logPartition: z.int(),
  logOffset: z.int(),
});
export type SettlementSummary = z.output<typeof settlementSummary>;

/** Returns ` AND …` for every given filter, on the columns of `settlements`. */
export function settlementsNarrowed(params: Partial<SettlementFilter>): string {
  return narrowed(params, {
    agentId: 'agent_id IN {agentId:Array(String)}',
    actionId: 'action_id IN {actionId:Array(String)}',
    code: '(code IN {code:Array(String)} OR hasAny(marks, {code:Array(String)}))',
    fromMs: "settled_at >= fromUnixTimestamp64Milli({fromMs:Int64}, 'UTC')",
    toMs: "settled_at < fromUnixTimestamp64Milli({toMs:Int64}, 'UTC')",
  });
}

export const searchSettlements = question({
  params: settlementFilter.extend({
    before: id.optional(),
    limit: z.int().min(1).max(1_000).default(100),
  }),
  row: settlementSummary,
  sql: ({ before, limit: _, ...filter }) => `
    SELECT ${SETTLEMENT_COLUMNS}
    FROM settlements FINAL
    WHERE tenant = {tenant:String} AND NOT void${settlementsNarrowed(filter)}${narrowed({ before }, { before: 'id < {before:String}' })}
    ORDER BY id DESC
    LIMIT {limit:UInt32}`,
});
