/** POST /v1/mandates/preview: what an agent could do under the documents in force and under planned changes. */
import { callerOf, type HttpServer, takeRawBody } from '@mandate/server';
import { z } from 'zod';
import type { Control } from '../control.ts';
import { previewAnswer, previewBody } from './answer-preview.ts';
import { expand } from './applied-policies.ts';
import { MAY_READ, NOT_THERE, sendJson, TAKES_LONG } from './shapes.ts';

export function previewMandate(server: HttpServer, control: Control): void {
  server.post(
    '/v1/mandates/preview',
    {
      config: { scope: MAY_READ, rawJson: true, refusals: { ...NOT_THERE, ...TAKES_LONG } },
      schema: {
        tags: ['mandates'],
        summary:
          'Preview what an agent could do: which rules match, their composition, and the result of each policy',
        description:
          'With an `action`, the answer is what would be decided at the time `at`, without the ledger: budgets, rates ' +
          'and kills are not checked. With an `agentId` and a `context`, the answer is the grant that POST /v1/grants/issue would ' +
          'issue. Both can try an agent, rules and policies that are not published. Nothing changes. The answer does not ' +
          'depend on what was spent. The preview redacts the action as a gateway does before a decision.',
        querystring: z.strictObject(expand),
        body: previewBody,
        response: { 200: previewAnswer },
      },
    },
    async (request, reply) => {
      const { tenant } = callerOf(request);
      const body = new Uint8Array(takeRawBody(request));
      const atMs = control.clock();
      const redaction = control.redaction();
      const job = { kind: 'preview' as const, tenant, atMs, body, query: request.query, redaction };
      return sendJson(reply, await control.apart.answer(request, job));
    },
  );
}
