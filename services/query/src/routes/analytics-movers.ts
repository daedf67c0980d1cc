/** GET /v1/audit/analytics/movers: the groups with the largest changes since the previous period. */
import { groupOf, MOVED_BY, movers } from '@mandate/audit';
import type { Clock } from '@mandate/runtime';
import { described, formatSum, sumMicros, time, wireTime } from '@mandate/schemas';
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
  groupBy: described(
    groupBy.default(['agent']),
    'The dimensions to group by, up to three. Repeat it for several.',
    'agent',
  ),
  by: described(z.enum(MOVED_BY).default('spend'), 'What to compare: spending, calls or refusals.', 'spend'),
});

/** The highest value, 9007199254740991, means this amount or more. */
const amount = z.int();
const inDollars = dollarsField.optional();

const mover = z.object({
  group: groupField,
  change: described(
    z.enum(['new', 'gone', 'up', 'down']),
    'The kind of the change. `new`: there was nothing in the period before. `gone`: there is nothing in this period.',
  ),
  before: described(
    amount,
    'The amount of the period before. By spend: micro-dollars. Otherwise: how many.',
    240_000,
  ),
  now: described(amount, 'The amount of this period. By spend: micro-dollars. Otherwise: how many.', 340_000),
  difference: described(
    amount,
    'The change from the period before. By spend: micro-dollars. Otherwise: how many.',
    100_000,
  ),
  percent: described(
    z.number().nullable(),
    'The change in percent, to a tenth. null: there was nothing before, or less.',
    41.7,
  ),
  beforeDollars: described(inDollars, '`before` in dollars. Absent unless by spend.', '$0.24'),
  nowDollars: described(inDollars, '`now` in dollars. Absent unless by spend.', '$0.34'),
  differenceDollars: described(inDollars, '`difference` in dollars. Absent unless by spend.', '$0.10'),
});

export type Mover = z.output<typeof mover>;

export const analyticsMovers: Route = (server, { ask, clock }) => {
  server.get(
    '/v1/audit/analytics/movers',
    {
      config: { scope: 'audit' },
      schema: {
        tags: ['analytics'],
        summary: 'List the groups whose spend, calls or refusals changed most since the period before',
        description:
          'The period is from `from` to `to`. By default `to` is now, and `from` is a day before `to`. The period before ' +
          'is as long, and ends when this period begins. The largest difference comes first, up or down. Groups without ' +
          'a change are left out.',
        querystring: queryParameters(parameters(clock)),
        response: {
          200: z.object({
            asOf,
            before: described(
              z.object({
                from: described(time, 'The beginning of the period, which is included.'),
                to: described(time, 'The end of the period, which is not included.'),
              }),
              'The period before.',
            ),
            now: described(
              z.object({
                from: described(time, 'The beginning of the period, which is included.'),
                to: described(time, 'The end of the period, which is not included.'),
              }),
              'This period.',
            ),
            movers: described(z.array(mover), 'The changes, the largest first.'),
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
