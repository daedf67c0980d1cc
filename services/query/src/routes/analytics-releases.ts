/** GET /v1/audit/analytics/releases: how much of the reserved money outcomes released, by agent and tool or model. */
import { releases } from '@mandate/audit';
import { wireTime } from '@mandate/schemas';
import { callerOf } from '@mandate/server';
import { z } from 'zod';
import { dollarsField, microsField, withDollars } from '../amounts.ts';
import { decisionFilterOf, decisionFilterParameters } from '../decision-filter-parameters.ts';
import { askerOf, type Route } from '../query-context.ts';
import { limit, queryParameters } from '../query-parameters.ts';
import { asOf } from './analytics-parameters.ts';

const { shape } = releases.row;

const release = releases.row.extend({
  tool: shape.tool.describe('Null for a model call.'),
  model: shape.model.describe('Null for a tool call.'),
  outcomes: shape.outcomes.describe('Settlements in the time asked about.'),
  failed: shape.failed.describe('Of these, failures, and successes whose verification failed.'),
  cancelled: shape.cancelled.describe('Of these, reported as `cancelled`.'),
  reservedMicros: microsField.describe('What the decisions that they settle reserved, in micro-dollars.'),
  reserved: dollarsField,
  givenBackMicros: microsField.describe('What those that did not succeed gave back of it, in micro-dollars.'),
  givenBack: dollarsField,
  givenBackPercent: shape.givenBackPercent.describe(
    'The share in whole percent, rounded down; null where nothing was reserved.',
  ),
  ownMicros: microsField.describe(
    "What of it the agent's own reports of failures and cancellations gave back, in micro-dollars.",
  ),
  own: dollarsField,
  refused: shape.refused.describe('RELEASE_REFUSED: own reports that may not give back more.'),
  excesses: shape.excesses.describe('EXCESS_QUARANTINED: actual costs above their cap.'),
  excessMicros: microsField.describe('How much above, in micro-dollars.'),
  excess: dollarsField,
});

export const analyticsReleases: Route = (server, { ask, clock }) => {
  server.get(
    '/v1/audit/analytics/releases',
    {
      config: { scope: 'audit' },
      schema: {
        tags: ['analytics'],
        summary: 'How much outcomes gave back of what was reserved, by agent and tool or model',
        description:
          'The agent and tool that gave back most come first. The time asked about is that of the settlements.',
        querystring: queryParameters({ ...decisionFilterParameters(clock), limit }),
        response: { 200: z.object({ asOf, releases: z.array(release) }) },
      },
    },
    async (request) => {
      const { limit, ...given } = request.query;
      const asOf = wireTime(clock());
      const asked = { ...decisionFilterOf(callerOf(request).tenant, given), limit };
      const rows = await ask(askerOf(request), releases, asked);
      return { asOf, releases: rows.map((row) => withDollars(row)) };
    },
  );
};
