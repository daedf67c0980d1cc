/** GET /v1/audit/analytics/movers: which groups changed most, compared with the period before. */
import { groupOf, MOVED_BY, movers } from '@mandate/audit';
import type { Clock } from '@mandate/runtime';
import { formatSum, sumMicros, time, wireTime } from '@mandate/schemas';
import { callerOf } from '@mandate/server';
import { z } from 'zod';
import { dollarsField } from '../amounts.ts';
import { askerOf, type Route } from '../query-context.ts';
import { queryParameters } from '../query-parameters.ts';
import { groupBy, groupField } from './analytics.ts';
import { asOf, narrowedBy, ranked } from './analytics-parameters.ts';

const DAY_MS = 86_400_000;

const parameters = (clock: Clock) => ({
  ...ranked(clock),
  groupBy: groupBy
    .default(['agent'])
    .describe('Whose changes: up to three dimensions, repeated. Default agent.'),
  by: z.enum(MOVED_BY).default('spend').describe('Changes of what. Default spend.'),
});

const amount = z
  .int()
  .describe('Micro-dollars by spend, else how many. 9007199254740991 stands for that much, or more.');
const inDollars = dollarsField.optional().describe('By spend: the same in dollars.');

const mover = z.object({
  group: groupField,
  change: z
    .enum(['new', 'gone', 'up', 'down'])
    .describe('New: nothing in the period before. Gone: nothing in this one.'),
  before: amount,
  now: amount,
  difference: amount,
  percent: z
    .number()
    .nullable()
    .describe('The difference in percent of what was before, to a tenth; null where that was none, or less.'),
  beforeDollars: inDollars,
  nowDollars: inDollars,
  differenceDollars: inDollars,
});

export const analyticsMovers: Route = (server, { ask, clock }) => {
  server.get(
    '/v1/audit/analytics/movers',
    {
      config: { scope: 'audit' },
      schema: {
        tags: ['analytics'],
        summary: 'Who changed most against the period before, in spend, calls or refusals',
        description:
          'The period goes from `from` (a day before `to`, where it is not given) to `to` (now); the one before is as long and ends where this one begins. The largest difference comes first, up or down; what did not change is left out.',
        querystring: queryParameters(parameters(clock)),
        response: {
          200: z.object({
            asOf,
            before: z.object({ from: time, to: time }),
            now: z.object({ from: time, to: time }),
            movers: z.array(mover),
          }),
        },
      },
    },
    async (request) => {
      const { limit, groupBy, by, ...given } = request.query;
      const nowMs = clock();
      const to = given.to ?? nowMs;
      const sinceMs = given.from ?? Math.max(0, to - DAY_MS);
      const filter = narrowedBy(callerOf(request).tenant, { ...given, from: sinceMs, to });
      const fromMs = Math.max(0, sinceMs - (to - sinceMs));
      const rows = await ask(askerOf(request), movers, {
        ...filter,
        fromMs,
        sinceMs,
        toMs: to,
        groupBy,
        by,
        limit,
      });
      return {
        asOf: wireTime(nowMs),
        before: { from: wireTime(fromMs), to: wireTime(sinceMs) },
        now: { from: wireTime(sinceMs), to: wireTime(to) },
        movers: rows.map(({ keys, before, now }) => ({
          group: groupOf(groupBy, keys),
          change: changeOf(before, now),
          before,
          now,
          difference: sumMicros(now, -before),
          percent: before > 0 ? Math.round(((now - before) / before) * 1_000) / 10 : null,
          ...(by === 'spend' && {
            beforeDollars: formatSum(before),
            nowDollars: formatSum(now),
            differenceDollars: formatSum(sumMicros(now, -before)),
          }),
        })),
      };
    },
  );
};

function changeOf(before: number, now: number): z.output<typeof mover>['change'] {
  if (before === 0) return 'new';
  if (now === 0) return 'gone';
  return now > before ? 'up' : 'down';
}
