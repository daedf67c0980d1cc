/**
 * The tokens that outcomes reported, by agent and model, the most expensive first. Each outcome that settled counts
 * once. `fromMs` and `toMs` filter settlements by booking time. All other filters apply to the decisions of the
 * settlements. If the decision of a settlement is not in the audit, the settlement has only its agent.
 */
import { described, time } from '@mandate/schemas';
import { z } from 'zod';
import { question } from '../question.ts';
import { decisionsOf, settlementsThatCount } from './analytics-source.ts';
import { decisionFilter } from './decision-filter.ts';
import { summedMicros } from './summed-micros.ts';

/** A sum of tokens has the same limits as a sum of amounts. */
const summedTokens = summedMicros;

export const tokens = question({
  params: decisionFilter.extend({ limit: z.int().min(1).max(1_000).default(100) }),
  row: z.object({
    agentId: described(z.string(), 'The agent that made the calls.', 'airline-007'),
    provider: z.string().nullable(),
    model: z.string().nullable(),
    /** The number of outcomes that reported tokens. */
    outcomes: z.int(),
    /** The number of these outcomes without a price for their tokens. */
    unpriced: z.int(),
    inputTokens: summedTokens,
    cachedInputTokens: summedTokens,
    cacheWriteTokens: summedTokens,
    outputTokens: summedTokens,
    reasoningTokens: summedTokens,
    /** The price of the tokens. */
    usageMicros: summedMicros,
    /** The whole cost of these calls, with every excess. It can differ from the price of the tokens. */
    chargedMicros: summedMicros,
    lastSettledAt: described(time, 'When the last of these outcomes was settled.'),
  }),
  sql: ({ tenant: _, agentId, fromMs, toMs, limit: __, ...filter }) => {
    const mustMatch = Object.values(filter).some((value) => value !== undefined);
    const settled = `${settlementsThatCount({ agentId, fromMs, toMs })} AND input_tokens IS NOT NULL`;
    const columns = ['provider', 'model'];
    return `
    SELECT agent_id AS agentId, nullIf(allowed.provider, '') AS provider, nullIf(allowed.model, '') AS model, count() AS outcomes,
      countIf(usage_micros IS NULL) AS unpriced,
      ${SUMS.map(([column, name]) => `sum(toInt128(ifNull(${column}, 0))) AS ${name}`).join(', ')},
      sum(toInt128(charged_micros) + toInt128(excess_micros)) AS chargedMicros, max(settled_at) AS lastSettledAt
    FROM (
      SELECT agent_id, action_id, attempt, ${SUMS.map(([column]) => column).join(', ')}, charged_micros, excess_micros, settled_at
      FROM ${settled}
    ) AS moved ANY ${mustMatch ? 'INNER' : 'LEFT'} JOIN ${decisionsOf(settled, { columns, filter })}
    GROUP BY agent_id, allowed.provider, allowed.model
    ORDER BY chargedMicros DESC, inputTokens DESC, agentId, provider, model
    LIMIT {limit:UInt32}`;
  },
});

const SUMS = [
  ['input_tokens', 'inputTokens'],
  ['cached_input_tokens', 'cachedInputTokens'],
  ['cache_write_tokens', 'cacheWriteTokens'],
  ['output_tokens', 'outputTokens'],
  ['reasoning_tokens', 'reasoningTokens'],
  ['usage_micros', 'usageMicros'],
] as const;
