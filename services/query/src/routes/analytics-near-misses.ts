/** GET /v1/audit/analytics/near-misses: actions that nearly reached a limit, the latest first. */
import { nearMisses } from '@mandate/audit';
import { described, wireTime } from '@mandate/schemas';
import { callerOf } from '@mandate/server';
import { z } from 'zod';
import { askerOf, type Route } from '../query-context.ts';
import { queryParameters } from '../query-parameters.ts';
import { asOf, narrowedBy, ranked } from './analytics-parameters.ts';

const { shape } = nearMisses.row;

const nearMiss = nearMisses.row.extend({
  scope: described(shape.scope, 'Who shares the budget. null: a rate.', 'agent'),
  subject: described(
    shape.subject,
    'The agent, principal or mandate of the budget, or the agent of the calls.',
    'airline-007',
  ),
  id: described(
    shape.id,
    'The id of the budget, or the tool of the rate. Empty: a rate of all calls.',
    'total',
  ),
  windowMs: described(
    shape.windowMs,
    'The length of the window, in milliseconds. null: a budget that never resets.',
    86_400_000,
  ),
  nearMisses: described(
    shape.nearMisses,
    'How many ALLOWs left the limit used at least `nearMissAt` percent.',
    3,
  ),
  highestPercent: described(
    shape.highestPercent,
    'The highest use after one of these ALLOWs, in whole percent, rounded down.',
    97,
  ),
  used: described(
    shape.used,
    'The use after the latest of these ALLOWs: micro-dollars of a budget, calls of a rate.',
    9_700_000,
  ),
  most: described(shape.most, 'The limit at the latest of these ALLOWs, in the same unit.', 10_000_000),
  decisionId: described(
    shape.decisionId,
    'The latest of these decisions.',
    'dec_01ke6qx4f8c6ede247811a2d78f78a',
  ),
});

export const analyticsNearMisses: Route = (server, { ask, clock }) => {
  server.get(
    '/v1/audit/analytics/near-misses',
    {
      config: { scope: 'audit' },
      schema: {
        tags: ['analytics'],
        summary: 'List agents that came near a limit, and which limit, the latest first',
        description:
          'A near miss is an ALLOW after which at least `nearMissAt` percent of a budget or rate is used.',
        querystring: queryParameters(ranked(clock)),
        response: {
          200: z.object({
            asOf,
            nearMisses: described(z.array(nearMiss), 'The limits, the latest near miss first.'),
          }),
        },
      },
    },
    async (request) => {
      const { limit, ...given } = request.query;
      const asOf = wireTime(clock());
      const asked = { ...narrowedBy(callerOf(request).tenant, given), limit };
      return { asOf, nearMisses: await ask(askerOf(request), nearMisses, asked) };
    },
  );
};
