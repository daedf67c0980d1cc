/**
 * The reserved amounts that failed and cancelled outcomes gave back, by agent and tool or model, largest first. Each
 * row also counts refused give-backs, and actual costs above a cap. `fromMs` and `toMs` filter settlements by booking
 * time. All other filters apply to the decisions of the settlements.
 */
import { described, time } from '@mandate/schemas';
import { z } from 'zod';
import { question } from '../question.ts';
import { decisionsOf, settlementsThatCount } from './analytics-source.ts';
import { decisionFilter } from './decision-filter.ts';
import { summedMicros } from './summed-micros.ts';

export const releases = question({
  params: decisionFilter.extend({ limit: z.int().min(1).max(1_000).default(100) }),
  row: z.object({
    agentId: described(z.string(), 'The agent that ran the actions.', 'airline-007'),
    tool: z.string().nullable(),
    model: z.string().nullable(),
    outcomes: z.int(),
    failed: z.int(),
    cancelled: z.int(),
    reservedMicros: summedMicros,
    givenBackMicros: summedMicros,
    /**
     * `givenBackMicros` as a share of `reservedMicros` in whole percent, rounded down. Null if nothing was reserved.
     */
    givenBackPercent: z.int().nullable(),
    /** The part of `givenBackMicros` that the agent's own reports gave back. */
    ownMicros: summedMicros,
    /** The number of own reports that were refused, because they would give back more than `maxReleases` allows. */
    refused: z.int(),
    /**
     * The number of actual costs that were above their cap. The next field is the sum of the amounts above the caps.
     */
    excesses: z.int(),
    excessMicros: summedMicros,
    lastSettledAt: described(time, 'When the last of these outcomes was settled.'),
  }),
  sql: ({ tenant: _, agentId, fromMs, toMs, limit: __, ...filter }) => {
    const settled = settlementsThatCount({ agentId, fromMs, toMs });
    const columns = ['tool', 'model', 'charged_micros'];
    return `
    SELECT agent_id AS agentId, nullIf(tool, '') AS tool, nullIf(model, '') AS model, count() AS outcomes,
      countIf(result = 'failed') AS failed, countIf(result = 'cancelled') AS cancelled,
      sum(toInt128(charged_micros)) AS reservedMicros,
      sum(if(result = 'succeeded', toInt128(0), toInt128(greatest(0 - delta_micros, 0)))) AS givenBackMicros,
      if(reservedMicros = 0, NULL, toInt64(intDiv(givenBackMicros * 100, reservedMicros))) AS givenBackPercent,
      sum(toInt128(greatest(released_micros, 0))) AS ownMicros, countIf(has(marks, 'RELEASE_REFUSED')) AS refused,
      countIf(excess_micros > 0) AS excesses, sum(toInt128(excess_micros)) AS excessMicros,
      max(settled_at) AS lastSettledAt
    FROM (
      SELECT agent_id, action_id, attempt, marks, multiIf(result != '', result, status = 'success', 'succeeded', status = 'failure', 'failed', status) AS result,
        delta_micros, released_micros, excess_micros, settled_at
      FROM ${settled}
    ) AS moved ANY INNER JOIN ${decisionsOf(settled, { columns, filter })}
    GROUP BY agent_id, tool, model
    ORDER BY givenBackMicros DESC, excessMicros DESC, agentId, tool, model
    LIMIT {limit:UInt32}`;
  },
});
