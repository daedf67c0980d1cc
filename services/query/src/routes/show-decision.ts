/** GET /v1/audit/decisions/:id: one decision, whole. */
import { decisionById } from '@mandate/audit';
import { callerOf, HttpProblem } from '@mandate/runtime';
import { actionDecided, decision, id } from '@mandate/schemas';
import { z } from 'zod';
import { askerOf, logPlace, type Route } from '../query-context.ts';
import { queryParameters } from '../query-parameters.ts';

/** What a newer writer adds to a decision is shown, although this reader does not know it. */
const onLog = actionDecided.extend({ decision: decision.loose() });

export const showDecision: Route = (server, { ask }) => {
  server.get(
    '/v1/audit/decisions/:id',
    {
      config: { scope: 'audit' },
      schema: {
        tags: ['audit'],
        summary: 'One decision: the record as it lies on the log, with what each check saw and said',
        params: z.object({ id }),
        querystring: queryParameters({}),
        response: { 200: onLog.extend({ log: logPlace.describe('Where the record lies.') }) },
      },
    },
    async (request) => {
      const [row] = await ask(askerOf(request), decisionById, {
        tenant: callerOf(request).tenant,
        id: request.params.id,
      });
      if (row === undefined) {
        throw new HttpProblem(404, 'DECISION_NOT_FOUND', 'the audit has no such decision', {
          remedy:
            'Give the id of a decision (dec_…); those of an action are listed by /v1/audit/decisions?actionId=…. One that was just made may take a second.',
        });
      }
      const { logTopic: topic, logPartition: partition, logOffset: offset } = row;
      return { ...onLog.parse(JSON.parse(row.payload)), log: { topic, partition, offset } };
    },
  );
};
