/** Which agents were at work, the busiest first. */
import { time } from '@mandate/schemas';
import { z } from 'zod';
import { question } from '../question.ts';
import { rankedFilter } from './analytics-filter.ts';
import { bookings } from './bookings.ts';
import { CALL_COUNTS, callCounts } from './call-counts.ts';

export const agents = question({
  params: rankedFilter,
  row: z.object({
    agentId: z.string(),
    ...callCounts,
    /** Of the last decision; null when only outcomes fell into the time asked about. */
    lastDecidedAt: time.nullable(),
  }),
  sql: (params) => `
    SELECT agent_id AS agentId, ${CALL_COUNTS}, max(last_seen) AS lastDecidedAt
    FROM ${bookings(params, { byTool: false })}
    GROUP BY agent_id
    ORDER BY calls DESC, agentId
    LIMIT {limit:UInt32}`,
});
