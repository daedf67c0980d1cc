/**
 * GET /v1/audit/analytics/releases: how much of the reserved money outcomes released, by agent and by tool or model.
 */
import { releases } from '@mandate/audit';
import { described, wireTime } from '@mandate/schemas';
import { callerOf } from '@mandate/server';
import { z } from 'zod';
import { dollarsField, microsField, withDollars } from '../amounts.ts';
import { decisionFilterOf, decisionFilterParameters } from '../decision-filter-parameters.ts';
import { askerOf, type Route } from '../query-context.ts';
import { limit, queryParameters } from '../query-parameters.ts';
import { asOf } from './analytics-parameters.ts';

const { shape } = releases.row;

const release = releases.row.extend({
  tool: described(shape.tool, 'The tool. null: a model call.', 'send_certificate'),
  model: described(shape.model, 'The model. null: a tool call.', 'claude-sonnet-4-5'),
  outcomes: described(shape.outcomes, 'How many settlements the period has.', 120),
  failed: described(
    shape.failed,
    'How many of these are failures, or successes that failed their verification.',
    8,
  ),
  cancelled: described(shape.cancelled, 'How many of these were cancelled.', 2),
  reservedMicros: described(
    microsField,
    'What the settled decisions had reserved, in micro-dollars.',
    12_000_000,
  ),
  reserved: dollarsField,
  givenBackMicros: described(
    microsField,
    'What outcomes without success gave back of it, in micro-dollars.',
    900_000,
  ),
  givenBack: dollarsField,
  givenBackPercent: described(
    shape.givenBackPercent,
    'The share that was given back, in whole percent, rounded down. null: nothing was reserved.',
    7,
  ),
  ownMicros: described(
    microsField,
    "What the agent's own reports of failures and cancellations gave back, in micro-dollars.",
    400_000,
  ),
  own: dollarsField,
  refused: described(shape.refused, 'How many own reports could give back no more (RELEASE_REFUSED).', 1),
  excesses: described(shape.excesses, 'How many actual costs were above their cap (EXCESS_QUARANTINED).', 1),
  excessMicros: described(
    microsField,
    'By how much all of these were above their caps, in micro-dollars.',
    9_000_000,
  ),
  excess: dollarsField,
});

export const analyticsReleases: Route = (server, { ask, clock }) => {
  server.get(
    '/v1/audit/analytics/releases',
    {
      config: { scope: 'audit' },
      schema: {
        tags: ['analytics'],
        summary: 'Show how much of the reservations outcomes gave back, by agent and tool or model',
        description:
          'The agent and tool that gave back most come first. The period selects settlements by their time.',
        querystring: queryParameters({ ...decisionFilterParameters(clock), limit }),
        response: {
          200: z.object({
            asOf,
            releases: described(
              z.array(release),
              'Agents with their tools and models, the largest give-back first.',
            ),
          }),
        },
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
