/** POST /v1/outcomes: the outcome of an allowed action. The outcome settles the charge. */

import { described, logPosition, type Outcome, outcome, settlement } from '@mandate/schemas';
import type { HttpServer } from '@mandate/server';
import { z } from 'zod';
import type { Gateway } from '../gateway.ts';
import { publishRecords, type Route } from '../publish/publish-records.ts';
import { MAX_RECORDS } from '../publish/read-submission.ts';
import { reporterOf } from './reporter-of.ts';
import { waitQuery } from './wait-query.ts';

/** The record in the form that a caller may send. It has no reporter, because only the gateway sets the reporter. */
const submitted = z.strictObject({
  event: described(z.literal('action.completed'), 'The kind of the record.'),
  outcome: described(outcome, 'What became of the action.'),
});

const schemas = { bare: outcome, record: submitted.transform((record) => record.outcome) };

const result = z.object({
  actionId: described(z.string(), 'The action that was reported.', 'act_7f3a'),
  attempt: described(z.int(), 'The number of the attempt, from 1.', 1),
  source: described(logPosition, 'The log position of the outcome.'),
  settlement: described(
    settlement.nullable(),
    'The settlement of the outcome. null: it did not come within `waitMs`.',
  ),
});
const answers = z.union([
  result,
  z.object({
    results: described(z.array(result), 'An answer for each outcome, in the order of the request.'),
  }),
]);

export function reportOutcomes(server: HttpServer, gateway: Gateway): void {
  server.post(
    '/v1/outcomes',
    {
      config: { scope: 'report', rawJson: true, counted: 'publish' },
      schema: {
        tags: ['publish'],
        summary: 'Report the outcome of an action, or of several; with waitMs, wait for the settlements',
        description:
          'Either the whole list is published, or nothing. The first outcome of an action settles the action. The policy ' +
          'limits how much a report may give back (`maxReleases`), unless the key has the scope `release`.',
        querystring: waitQuery,
        body: z
          .union([
            outcome,
            submitted,
            z
              .array(z.union([outcome, submitted]))
              .min(1)
              .max(MAX_RECORDS),
          ])
          .meta({
            examples: [
              { actionId: 'act_1', agentId: 'airline-007', status: 'success', actualCostMicros: 91_000 },
            ],
          }),
        response: { 200: answers, 202: answers },
      },
    },
    async (request, reply) => {
      const { waitMs } = request.query;
      const reportedBy = reporterOf(request);
      const route: Route<Outcome> = {
        code: 'INVALID_OUTCOME',
        canBeRefused: false,
        schemas,
        recordOf: (item, { tenant }) => ({
          record: { event: 'action.completed', outcome: { ...item, tenant, reportedBy } },
          fingerprint: null,
          isAsSent: true,
        }),
      };
      const { many, published, appended } = await publishRecords(gateway, request, reply, { route, waitMs });
      gateway.measures.published.inc({ event: 'action.completed' }, appended);
      const results = published.map(({ item, source, answer }) => ({
        actionId: item.actionId,
        attempt: item.attempt ?? 1,
        source,
        settlement: answer?.event === 'action.settled' ? answer.settlement : null,
      }));
      reply.code(results.every(({ settlement }) => settlement !== null) ? 200 : 202);
      const [single] = results;
      return many || single === undefined ? { results } : single;
    },
  );
}
