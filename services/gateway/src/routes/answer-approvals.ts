/** POST /v1/approvals/:id/approve and /deny: a person answers the question about a deferred action. */

import { type ApprovalSubject, CAPS, count, DEFAULTS, described, time } from '@mandate/schemas';
import { callerOf, type HttpServer } from '@mandate/server';
import { z } from 'zod';
import { answerApproval, tryAnswer } from '../commands/answer-approval.ts';
import { operatorCommand } from '../commands/operator-command.ts';
import { mustBeOfOther } from '../commands/own-question.ts';
import type { Gateway } from '../gateway.ts';
import { approvalParams, subjectOf } from './approval-shapes.ts';
import { dryRunQuery, isDryRun, reason } from './command-shapes.ts';

const receipt = z.object({
  commandId: described(z.string(), 'The id of the command on the log.', 'apr_granted'),
  epoch: described(z.string(), 'The epoch of the ledger.', 'epoch_01kc7d5k0g'),
  sequence: described(count, 'The number of the step within the tenant.', 425),
  atMs: described(count, 'When the ledger recorded the answer, in epoch milliseconds.', 1_767_605_490_000),
});

const wouldAnswer = z.object({
  dryRun: isDryRun,
  state: described(
    z.enum(['waiting', 'granted', 'denied', 'expired']),
    'The state of the question now. If a person has answered, the new answer would replace that answer.',
  ),
});

const config = {
  counted: 'changes' as const,
  scope: ['approve', 'operate'] as const,
  refusals: {
    403: 'The tenant does not let people answer for their own actions (OWN_QUESTION), or the key lacks the scope.',
    404: 'No such action is deferred, or the question is no longer remembered.',
    409: 'The action was allowed or finally blocked meanwhile.',
  },
};

export function answerApprovals(server: HttpServer, gateway: Gateway): void {
  server.post(
    '/v1/approvals/:id/approve',
    {
      config,
      schema: {
        tags: ['approvals'],
        summary:
          'Approve an action that waits for a person: once, with exactly these arguments, for a limited time',
        description:
          'The agent must then publish the same action again. The ALLOW of that action uses the approval up. Until then, a later answer replaces an earlier one.',
        params: approvalParams,
        querystring: dryRunQuery,
        body: z
          .strictObject({
            reason: described(
              reason,
              'Why you approve it. The record always keeps it, and the agent sees it.',
              'checked with the customer',
            ),
            expiresInMs: described(
              z.int().min(1_000).max(CAPS.questionMs).optional(),
              'How long the approval is valid, in milliseconds. Default: the `grantMs` of the policy, or five minutes.',
              3_600_000,
            ),
          })
          .meta({ examples: [{ reason: 'the customer asked for it on the phone', expiresInMs: 600_000 }] }),
        response: {
          200: z.union([
            wouldAnswer,
            receipt.extend({
              expiresAt: described(time, 'The time until which the agent may use the approval.'),
            }),
          ]),
        },
      },
    },
    async (request) => {
      const { reason, expiresInMs } = request.body;
      const subject = subjectOf(request.params.id);
      await mustBeOfOther(gateway, callerOf(request), subject);
      if (request.query.dryRun) return wouldBe(gateway, callerOf(request).tenant, subject);
      const approval = { ...subject, answer: 'granted' as const };
      const parts = [{ ...approval, expiresInMs: expiresInMs ?? null }];
      const command = operatorCommand(request, gateway, { prefix: 'apr', parts, reason });
      const { tenant } = callerOf(request);
      const livesMs = expiresInMs ?? (await grantMsOf(gateway, tenant, subject)) ?? DEFAULTS.grantMs;
      const answer = { tenant, ...approval, expiresInMs: livesMs };
      return { commandId: command.id, ...(await answerApproval(gateway, answer, command)) };
    },
  );
  server.post(
    '/v1/approvals/:id/deny',
    {
      config,
      schema: {
        tags: ['approvals'],
        summary: 'Deny an action that waits for a person',
        description: 'The action stays refused. An approval that was not used yet is withdrawn.',
        params: approvalParams,
        querystring: dryRunQuery,
        body: z
          .strictObject({
            reason: described(
              reason,
              'Why you deny it. The record always keeps it, and the agent sees it.',
              'the amount is too high',
            ),
          })
          .meta({ examples: [{ reason: 'not without a ticket' }] }),
        response: { 200: z.union([wouldAnswer, receipt]) },
      },
    },
    async (request) => {
      const subject = subjectOf(request.params.id);
      await mustBeOfOther(gateway, callerOf(request), subject);
      if (request.query.dryRun) return wouldBe(gateway, callerOf(request).tenant, subject);
      const approval = { ...subject, answer: 'denied' as const };
      const { reason } = request.body;
      const command = operatorCommand(request, gateway, { prefix: 'apr', parts: [approval], reason });
      const { tenant } = callerOf(request);
      // Only a grant expires. A denial is final, so this duration has no effect on it.
      const answer = { tenant, ...approval, expiresInMs: DEFAULTS.grantMs };
      const { expiresAt: _, ...given } = await answerApproval(gateway, answer, command);
      return { commandId: command.id, ...given };
    },
  );
}

async function wouldBe(gateway: Gateway, tenant: string, subject: ApprovalSubject) {
  return { dryRun: true as const, state: await tryAnswer(gateway, { tenant, ...subject }) };
}

/**
 * Returns how long a grant lasts, as the policy in the DEFER says. Null if the policy does not say this, or if the
 * DEFER cannot be found.
 */
async function grantMsOf(
  { replies, findDecision }: Pick<Gateway, 'replies' | 'findDecision'>,
  tenant: string,
  { agentId, actionId, digest }: ApprovalSubject,
): Promise<number | null> {
  const recent = replies.recent.standing(tenant, { agentId, actionId }, () => true)?.decision;
  const asked = recent?.deferral ? recent : await findDecision?.(tenant, { agentId, actionId });
  return asked?.digest === digest ? (asked.deferral?.grantMs ?? null) : null;
}
