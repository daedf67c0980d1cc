/**
 * GET /v1/audit/analytics: calls, spend, latencies and near-misses by up to three dimensions, over a period or for
 * each time bucket.
 */
import {
  type AnalyticsAnswer,
  analyticsAnswer,
  bucketsOf,
  DIMENSION_NAMES,
  type Dimension,
  INTERVALS,
  isTimeZone,
  ORDERS,
  analytics as question,
  timeline,
} from '@mandate/audit';
import type { Clock } from '@mandate/runtime';
import { described, wireTime } from '@mandate/schemas';
import { callerOf, HttpProblem } from '@mandate/server';
import { z } from 'zod';
import { askerOf, type Route } from '../query-context.ts';
import { oneOrMore, queryParameters, wholeNumberWithin } from '../query-parameters.ts';
import { asOf, measureFields, narrowedBy, narrowing, shownMeasures } from './analytics-parameters.ts';

/** The maximum number of buckets in one answer, counting all groups. The answer then has about three megabytes. */
const MOST_CELLS = 10_000;

export const groupBy = oneOrMore(z.enum(DIMENSION_NAMES), 3).refine(
  (given) => new Set(given).size === given.length,
  { error: 'names a dimension twice' },
);

const EXAMPLES: Readonly<Record<Dimension, string>> = {
  agent: 'airline-007',
  tool: 'get_user',
  model: 'gpt-4o',
  provider: 'anthropic',
  type: 'tool_call',
  verdict: 'ALLOW',
  code: 'ALLOWED',
  observedCode: 'TOOL_DENIED',
  principal: 'u1',
  role: 'user',
  mandate: 'support-bot',
  policy: 'read-only@3',
};

export const groupField = z
  .object(
    Object.fromEntries(
      DIMENSION_NAMES.map((name) => [
        name,
        described(
          z.string().nullable().optional(),
          `The ${name} of the group. null: the decisions of the group have no ${name}. Absent if \`groupBy\` does not contain ${name}.`,
          EXAMPLES[name],
        ),
      ]),
    ),
  )
  .describe('The value of each dimension of `groupBy`.');

const parameters = (clock: Clock) => ({
  ...narrowing(clock),
  groupBy: described(
    groupBy.default([]),
    'The dimensions to group by, up to three. Repeat it for several. A decision under two policies counts under each, so these sums are larger than the whole.',
    'agent',
  ),
  interval: described(
    z.enum(INTERVALS).optional(),
    'The length of the buckets of time for each group. It needs `from`. Default: no buckets.',
    '1h',
  ),
  timeZone: described(
    z
      .string()
      .max(64)
      .refine(isTimeZone, { error: 'is no time zone; give an IANA name such as Europe/Berlin' })
      .default('UTC'),
    'The time zone in which buckets begin, by its IANA name. A day in Berlin can have 23 or 25 hours.',
    'Europe/Berlin',
  ),
  orderBy: described(
    z.enum(ORDERS).default('calls'),
    'The measure that orders the groups, the largest first.',
    'spentMicros',
  ),
  limit: described(
    wholeNumberWithin(1, 1_000).default(10),
    'How many groups to return at most, 1 to 1,000. `others` has the rest.',
    20,
  ),
});

/** The schema `time` does not fit: east of Greenwich, the first bucket of 1970 begins in 1969. */
const bucketStart = z.iso.datetime();

const buckets = z
  .array(
    z.object({
      start: described(bucketStart, 'When the bucket begins.', '2026-01-05T09:00:00.000Z'),
      ...measureFields,
    }),
  )
  .optional()
  .describe(
    'With `interval`: every bucket, empty ones included. The first and the last may reach beyond the period, but only the period counts.',
  );

const answer = z.object({
  asOf,
  groups: described(
    z.array(z.object({ group: groupField, ...measureFields, buckets })),
    'The groups, in the order of `orderBy`.',
  ),
  others: described(
    z
      .object({ groups: described(z.int(), 'How many groups `others` has.', 17), ...measureFields, buckets })
      .nullable(),
    'All groups beyond `limit` together. null: there are none.',
  ),
});

export type Analytics = z.output<typeof answer>;

export const analytics: Route = (server, { ask, clock }) => {
  server.get(
    '/v1/audit/analytics',
    {
      config: { scope: 'audit' },
      schema: {
        tags: ['analytics'],
        summary: 'Show calls, spend, latencies and near misses, by up to three dimensions and by time',
        description:
          'A charge counts at the time of its decision. A change by an outcome counts at the time of its settlement, in ' +
          'the group of its decision. So the sums of a past day never change. Latencies are rounded up to the next of 0, ' +
          '1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100, … ms.',
        querystring: queryParameters(parameters(clock)),
        response: { 200: answer },
      },
    },
    async (request) => {
      const { groupBy, interval, timeZone, orderBy, limit, ...given } = request.query;
      const nowMs = clock();
      const filter = narrowedBy(
        callerOf(request).tenant,
        interval ? { ...given, to: given.to ?? nowMs } : given,
      );
      const line =
        interval === undefined
          ? null
          : lineOf(filter, interval, timeZone, groupBy.length === 0 ? 1 : limit + 1);
      const rows = await ask(askerOf(request), question, {
        ...filter,
        groupBy,
        orderBy,
        limit,
        ...(line !== null && bucketsOf(line)),
      });
      return { asOf: wireTime(nowMs), ...shown(analyticsAnswer(rows, groupBy, line)) };
    },
  );
};

function lineOf(
  { fromMs, toMs }: { fromMs?: number | undefined; toMs?: number | undefined },
  interval: (typeof INTERVALS)[number],
  timeZone: string,
  groups: number,
) {
  if (fromMs === undefined || toMs === undefined) {
    throw new HttpProblem(400, 'VALIDATION_FAILED', '`interval` needs `from`', {
      remedy: 'Give the beginning of the period: from=24h, or from=2026-01-31.',
    });
  }
  const most = Math.floor(MOST_CELLS / groups);
  const line = timeline({ fromMs, toMs }, interval, timeZone, most);
  if (line !== null) return line;
  throw new HttpProblem(400, 'VALIDATION_FAILED', `that is more than ${most} buckets of ${interval}`, {
    remedy: `An answer has at most ${MOST_CELLS} buckets over all groups: give a longer \`interval\`, a shorter period, or a smaller \`limit\`.`,
  });
}

function shown({ groups, others }: AnalyticsAnswer): Omit<z.output<typeof answer>, 'asOf'> {
  return {
    groups: groups.map(({ group, ...told }) => ({ group, ...toldOf(told) })),
    others: others && { groups: others.groups, ...toldOf(others) },
  };
}

function toldOf({ buckets, ...measures }: Omit<AnalyticsAnswer['groups'][number], 'group'>) {
  return {
    ...shownMeasures(measures),
    ...(buckets && {
      buckets: buckets.map(({ startMs, ...own }) => ({ start: wireTime(startMs), ...shownMeasures(own) })),
    }),
  };
}
