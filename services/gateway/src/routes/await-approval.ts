/** GET /v1/approvals/:id/answer: an agent learns what a person has answered to its question, and may wait for it. */
import { CAPS, described, wireTime } from '@mandate/schemas';
import { callerOf, type HttpServer } from '@mandate/server';
import { z } from 'zod';
import { untilSettled } from '../answers/until-settled.ts';
import { type Gateway, ledgerOf } from '../gateway.ts';
import { maySee, seesEveryAgent } from '../own-agents.ts';
import { approvalNotFound, approvalParams, approvalState, subjectOf } from './approval-shapes.ts';

export function awaitApproval(server: HttpServer, gateway: Gateway): void {
  server.get(
    '/v1/approvals/:id/answer',
    {
      config: {
        scope: ['publish', 'audit'],
        refusals: { 404: 'The action was decided after the question, or the question is not known.' },
      },
      schema: {
        tags: ['approvals'],
        summary: 'Show what a person has answered; with waitMs, wait for the answer',
        description:
          'The answer comes from the ledger, so it is known directly after a start, and also if no decision about the action ' +
          'is. The request changes nothing: an agent must still send an approved action again. If the key sees every ' +
          'agent, the read is recorded before the answer is sent.',
        params: approvalParams,
        querystring: z.strictObject({
          waitMs: described(
            z.coerce.number().int().min(0).max(CAPS.waitMs).default(0),
            'How long to wait for an answer that is in force, in milliseconds. Default: 0.',
            5_000,
          ),
        }),
        response: {
          200: z.object({
            ...approvalState,
          }),
        },
      },
    },
    async (request) => {
      const key = callerOf(request);
      const subject = subjectOf(request.params.id);
      if (!maySee(key, subject.agentId)) throw approvalNotFound();
      if (seesEveryAgent(key)) await gateway.reads.recordRead(request);
      const ledger = ledgerOf(gateway);
      const { state, expiresAtMs } = await untilSettled(
        gateway,
        { key, actionId: subject.actionId },
        { waitMs: request.query.waitMs, gone: request.signal },
        {
          read: () => ledger.question({ tenant: key.tenant, ...subject }),
          // After the end of an approval, a person may give another one.
          isOpen: (question) => question.state === 'waiting' || question.state === 'expired',
        },
      );
      if (state === 'none') throw approvalNotFound();
      return { state, expiresAt: expiresAtMs === null ? null : wireTime(expiresAtMs) };
    },
  );
}
