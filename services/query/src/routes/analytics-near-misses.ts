/** GET /v1/audit/analytics/near-misses: actions that nearly reached a limit, the latest first. */
import { nearMisses } from '@mandate/audit';
import { wireTime } from '@mandate/schemas';
import { callerOf } from '@mandate/server';
import { z } from 'zod';
import { askerOf, type Route } from '../query-context.ts';
import { queryParameters } from '../query-parameters.ts';
import { asOf, narrowedBy, ranked } from './analytics-parameters.ts';

const { shape } = nearMisses.row;

const nearMiss = nearMisses.row.extend({
  scope: shape.scope.describe('Of a budget; null for a rate.'),
  subject: shape.subject.describe('Whose budget, or whose calls.'),
  id: shape.id.describe('The budget; of a rate the tool, empty for all calls.'),
  windowMs: shape.windowMs.describe('Null for a budget for ever.'),
  nearMisses: shape.nearMisses.describe('ALLOWs that left it used so far.'),
  highestPercent: shape.highestPercent.describe(
    'The most that one of them left used, in whole percent, rounded down.',
  ),
  used: shape.used.describe('After the latest of them: micro-dollars of a budget, calls of a rate.'),
  most: shape.most.describe('The limit as the latest saw it, in the same unit.'),
  decisionId: shape.decisionId.describe('The latest of them.'),
});

export const analyticsNearMisses: Route = (server, { ask, clock }) => {
  server.get(
    '/v1/audit/analytics/near-misses',
    {
      config: { scope: 'audit' },
      schema: {
        tags: ['analytics'],
        summary: 'Which agents came near a limit, and which limit, the latest first',
        description:
          'A near-miss is an ALLOW that left a budget or a rate used up to `nearMissAt` percent, or beyond.',
        querystring: queryParameters(ranked(clock)),
        response: { 200: z.object({ asOf, nearMisses: z.array(nearMiss) }) },
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
