/** POST /v1/audit: records decisions and settlements that an SDK made itself. The plane decides nothing here. */
import { described, TOPICS } from '@mandate/schemas';
import type { HttpServer } from '@mandate/server';
import { z } from 'zod';
import type { Gateway } from '../gateway.ts';
import { appendReported } from '../publish/append-reported.ts';
import { MAX_RECORDS } from '../publish/read-submission.ts';
import { EXAMPLE } from '../sdk-records/example.ts';
import { readSdkRecords, reportedRecord } from '../sdk-records/read-sdk-records.ts';

export function recordSdkDecisions(server: HttpServer, gateway: Gateway): void {
  server.post(
    '/v1/audit',
    {
      config: {
        scope: 'record',
        rawJson: true,
        counted: 'publish',
        refusals: { 410: 'A person for whom an agent acted was forgotten.' },
      },
      schema: {
        tags: ['publish'],
        summary: 'Record decisions and settlements that an SDK made itself',
        description:
          'For SDKs that decide in the process of the agent. The plane records who decided, and decides nothing: its ' +
          'ledger, its budgets and its decisions do not change. Either the whole list is recorded, or nothing. The same ' +
          'record sent again changes nothing. The tenant is the tenant of the key. Read the records with ' +
          '`GET /v1/audit/sdk`.',
        body: z
          .array(reportedRecord)
          .min(1)
          .max(MAX_RECORDS)
          .meta({ examples: [[EXAMPLE]] }),
        response: {
          200: z.object({
            recorded: described(z.int(), 'How many records of the list are on the log, with repeats.', 2),
          }),
        },
      },
    },
    (request) =>
      appendReported(gateway, request, TOPICS.sdkRecords, (key, body) => readSdkRecords(gateway, key, body)),
  );
}
