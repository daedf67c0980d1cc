/** Which tools were called, the most called first. LLM calls are no tool calls and are not among them. */
import { z } from 'zod';
import { question } from '../question.ts';
import { rankedFilter } from './analytics-filter.ts';
import { bookings } from './bookings.ts';
import { CALL_COUNTS, callCounts } from './call-counts.ts';

export const tools = question({
  params: rankedFilter,
  row: z.object({ tool: z.string(), ...callCounts }),
  sql: (params) => `
    SELECT tool, ${CALL_COUNTS}
    FROM ${bookings(params, { byTool: true })}
    WHERE tool != ''
    GROUP BY tool
    ORDER BY calls DESC, tool
    LIMIT {limit:UInt32}`,
});
