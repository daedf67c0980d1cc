/** POST /v1/context: records what the context builder of a program did. The plane decides nothing here. */
import { described, reportedBuild, TOPICS } from '@mandate/schemas';
import type { HttpServer } from '@mandate/server';
import { z } from 'zod';
import { EXAMPLE } from '../context-builds/example.ts';
import { readContextBuilds } from '../context-builds/read-context-builds.ts';
import type { Gateway } from '../gateway.ts';
import { appendReported } from '../publish/append-reported.ts';
import { MAX_RECORDS } from '../publish/read-submission.ts';

export function recordContextBuilds(server: HttpServer, gateway: Gateway): void {
  server.post(
    '/v1/context',
    {
      config: { scope: 'publish', rawJson: true, counted: 'publish' },
      schema: {
        tags: ['publish'],
        summary: 'Record what the context builder of a program did',
        description:
          'For programs that use `@mandate/context`. The plane only records it. Either the whole list is recorded, or ' +
          'nothing. The same record sent again changes nothing. The tenant is the tenant of the key. The privacy ' +
          'document applies before anything reaches the log. Read the records with `GET /v1/audit/context`.',
        body: z
          .array(reportedBuild)
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
      appendReported(gateway, request, TOPICS.context, (key, body) => readContextBuilds(gateway, key, body)),
  );
}
