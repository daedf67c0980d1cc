/** GET /v1/approvals/:id: one action that a person was or is asked about. */
import { approvals } from '@mandate/audit';
import { APPROVAL_ID_UNITS, described, readApprovalId } from '@mandate/schemas';
import { callerOf, HttpProblem } from '@mandate/server';
import { z } from 'zod';
import { approvalFound, shownApproval } from '../approval-found.ts';
import { askerOf, type Route } from '../query-context.ts';
import { queryParameters } from '../query-parameters.ts';

export const showApproval: Route = (server, { ask }) => {
  server.get(
    '/v1/approvals/:id',
    {
      config: {
        scope: ['audit', 'approve', 'operate'],
        refusals: { 404: 'The audit has no such question.' },
      },
      schema: {
        tags: ['approvals'],
        summary: 'Show one action that waits, or waited, for a person',
        description:
          'The answer has the newest question about the action, and what was decided and answered after it.',
        params: z.object({
          id: described(
            z.string().min(1).max(APPROVAL_ID_UNITS),
            'The id of the question. `GET /v1/approvals` lists it.',
            'apr_WyJhaXJsaW5lLTAwNyJd',
          ),
        }),
        querystring: queryParameters({}),
        response: { 200: approvalFound },
      },
    },
    async (request) => {
      const subject = readApprovalId(request.params.id);
      const { tenant } = callerOf(request);
      const { agentId, actionId } = subject ?? {};
      const rows = subject && (await ask(askerOf(request), approvals, { tenant, agentId, actionId }));
      const row = rows?.find(({ digest }) => digest === subject?.digest);
      if (row !== undefined) return shownApproval(row);
      throw new HttpProblem(404, 'APPROVAL_NOT_FOUND', 'the audit has no such question', {
        remedy:
          'GET /v1/approvals?state=all lists all questions. A new question may take a second to appear.',
      });
    },
  );
};
