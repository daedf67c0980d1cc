/** GET /v1/audit/analytics/latency: the time from the append of a request to its decision. */
import { latencies, percentile } from '@mandate/audit';
import { described, wireTime } from '@mandate/schemas';
import { callerOf } from '@mandate/server';
import { z } from 'zod';
import { askerOf, type Route } from '../query-context.ts';
import { queryParameters } from '../query-parameters.ts';
import { asOf, callFields, latencyFields, narrowedBy, narrowing } from './analytics-parameters.ts';

export const analyticsLatency: Route = (server, { ask, clock }) => {
  server.get(
    '/v1/audit/analytics/latency',
    {
      config: { scope: 'audit' },
      schema: {
        tags: ['analytics'],
        summary: 'Show how long decisions took, from the log to the decision',
        description:
          'Latencies are rounded up to the next of 0, 1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100, … ms. ' +
          '/v1/audit/analytics shows latencies by agent, tool or time.',
        querystring: queryParameters(narrowing(clock)),
        response: {
          200: z.object({
            asOf,
            calls: callFields.calls,
            ...latencyFields,
            histogram: described(
              z.array(
                z.object({
                  upToMs: described(z.int(), 'The upper bound of the bucket, in milliseconds.', 20),
                  calls: described(z.int(), 'How many decisions are in the bucket.', 340),
                }),
              ),
              'How many decisions took at most `upToMs`, and longer than the bucket before. Empty buckets are left out.',
            ),
          }),
        },
      },
    },
    async (request) => {
      const asOf = wireTime(clock());
      const histogram = await ask(
        askerOf(request),
        latencies,
        narrowedBy(callerOf(request).tenant, request.query),
      );
      return {
        asOf,
        calls: histogram.reduce((sum, { calls }) => sum + calls, 0),
        p50Ms: percentile(histogram, 0.5),
        p90Ms: percentile(histogram, 0.9),
        p99Ms: percentile(histogram, 0.99),
        maxMs: percentile(histogram, 1),
        histogram,
      };
    },
  );
};
