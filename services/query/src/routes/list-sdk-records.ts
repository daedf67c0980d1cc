/** GET /v1/audit/sdk: what SDKs decided in the processes of agents, newest first. */
import { searchSdkRecords } from '@mandate/audit';
import { described, id, logPosition } from '@mandate/schemas';
import { callerOf, nextCursor, pageCursor } from '@mandate/server';
import { z } from 'zod';
import { dollarsField, microsField, withDollars } from '../amounts.ts';
import { askerOf, type Route, withLogPosition } from '../query-context.ts';
import { limit, period, queryParameters } from '../query-parameters.ts';

const cursor = pageCursor('sdk', z.tuple([id, z.string()]));

const found = searchSdkRecords.row.omit({ logTopic: true, logPartition: true, logOffset: true }).extend({
  deltaMicros: described(microsField, 'What it added to the cost of the agent, in micro-dollars.', 100_000),
  delta: dollarsField,
  log: described(logPosition, 'The log position of the record.'),
});

export const listSdkRecords: Route = (server, { ask, clock }) => {
  server.get(
    '/v1/audit/sdk',
    {
      config: { scope: 'audit' },
      schema: {
        tags: ['audit'],
        summary: 'List what SDKs decided themselves, newest first',
        description:
          'An SDK in distributed mode decides in the process of the agent, and reports to `POST /v1/audit`. The plane did ' +
          'not decide these actions: no budget, sum or law of the plane counts them.',
        querystring: queryParameters({
          agent: described(id.optional(), 'Only records of this agent.', 'airline-007'),
          action: described(id.optional(), 'Only records of this action.', 'act_7f3a'),
          key: described(id.optional(), 'Only records that this API key reported.', '7dQ1xYb0aKpL'),
          ...period(clock),
          cursor: cursor.parameter,
          limit,
        }),
        response: {
          200: z.object({
            records: described(z.array(found), 'The records, the newest first.'),
            next: nextCursor,
          }),
        },
      },
    },
    async (request) => {
      const { agent, action, key, from, to, cursor: pageKey, limit } = request.query;
      const rows = await ask(askerOf(request), searchSdkRecords, {
        tenant: callerOf(request).tenant,
        agentId: agent,
        actionId: action,
        keyId: key,
        fromMs: from,
        toMs: to,
        beforeId: pageKey?.[0],
        beforeKeyId: pageKey?.[1],
        limit,
      });
      return {
        records: rows.map((row) => withLogPosition(withDollars(row))),
        next: cursor.next(rows, limit, (row) => [row.id, row.keyId ?? '']),
      };
    },
  );
};
