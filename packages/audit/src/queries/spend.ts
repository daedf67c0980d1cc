/** What was spent: by agent, the largest first, and in all. */
import { z } from 'zod';
import { question } from '../question.ts';
import { analyticsFilter, rankedFilter } from './analytics-filter.ts';
import { bookings } from './bookings.ts';

const spent = {
  /** Reserved by decisions. */
  chargedMicros: z.int(),
  /** Added or given back by outcomes. */
  settledMicros: z.int(),
  /** Both together. */
  spentMicros: z.int(),
};

const SUMS =
  'sum(charged) AS chargedMicros, sum(settled) AS settledMicros, sum(charged + settled) AS spentMicros';

export const spendByAgent = question({
  params: rankedFilter,
  row: z.object({ agentId: z.string(), ...spent }),
  sql: (params) => `
    SELECT agent_id AS agentId, ${SUMS}
    FROM ${bookings(params, { byTool: false })}
    GROUP BY agent_id
    ORDER BY spentMicros DESC, agentId
    LIMIT {limit:UInt32}`,
});

/** One row, also where nothing was spent. */
export const spendInAll = question({
  params: analyticsFilter,
  row: z.object(spent),
  sql: (params) => `SELECT ${SUMS} FROM ${bookings(params, { byTool: false })}`,
});
