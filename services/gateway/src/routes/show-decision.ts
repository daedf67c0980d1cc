/**
 * GET /v1/actions/:id: the valid decision about an action, and a person's answer to its question. The request can
 * wait for both of them.
 */

import {
  type ApiKeyRecord,
  CAPS,
  type Decision,
  decision,
  described,
  id,
  logPosition,
  wireTime,
} from '@mandate/schemas';
import { callerOf, HttpProblem, type HttpServer } from '@mandate/server';
import { z } from 'zod';
import { type ActionName, wholeOf } from '../answers/recent-answers.ts';
import { untilSettled } from '../answers/until-settled.ts';
import type { Gateway } from '../gateway.ts';
import { maySee, seesEveryAgent } from '../own-agents.ts';
import { recheckKillSwitch, withheldDecision } from '../recheck-kill-switch.ts';
import { approvalState } from './approval-shapes.ts';

const approval = z
  .object({
    id: described(
      z.string(),
      'The id of the approval. A person approves or denies it under this id.',
      'apr_WyJhaXJsaW5lLTAwNyJd',
    ),
    ...approvalState,
  })
  .nullable();

const standing = z.object({
  actionId: described(z.string(), 'The action.', 'act_7f3a'),
  attempt: described(z.int(), 'The number of the attempt, from 1.', 1),
  source: described(logPosition, 'The log position of the request.'),
  decision: described(decision, 'The decision that is valid for the attempt.'),
  approval: described(
    approval,
    'What a person has answered. null: no person is asked, or the question is forgotten.',
  ),
  withheld: described(
    z.boolean(),
    'Whether an ALLOW is withheld: the log says ALLOW, but the agent was killed after it. The action must not begin, even after a revive. An action that began before the kill is shown like this too.',
    false,
  ),
});

export function showDecision(server: HttpServer, gateway: Gateway): void {
  server.get(
    '/v1/actions/:id',
    {
      config: { scope: ['publish', 'audit'], refusals: { 404: 'No decision on that action is known yet.' } },
      schema: {
        tags: ['publish'],
        summary: 'Show the decision on an action; with waitMs, wait for it, and for a person to answer',
        description:
          'Without `attempt`, the answer is about the newest attempt. Two agents may use the same action id, so name the ' +
          'agent with `agentId`. With `waitMs`, the answer waits for the decision. If the decision asks a person, it ' +
          'also waits for the person. When the time is over, the answer shows what is known. The request changes ' +
          'nothing: an agent must still send an approved action again. If the key sees every agent, the read is recorded ' +
          'before the answer is sent.',
        params: z.object({ id: described(id, 'The id of the action.', 'act_7f3a') }),
        querystring: z.strictObject({
          agentId: described(
            id.optional(),
            'The agent of the action. Give it if several agents use the id.',
            'airline-007',
          ),
          attempt: described(
            z.coerce.number().int().min(1).max(CAPS.attempts).optional(),
            'The number of the attempt. Default: the newest attempt.',
            1,
          ),
          waitMs: described(
            z.coerce.number().int().min(0).max(CAPS.waitMs).optional(),
            'How long to wait for the decision and for the answer of a person, in milliseconds. Default: 0.',
            5_000,
          ),
        }),
        response: { 200: standing },
      },
    },
    async (request) => {
      const key = callerOf(request);
      const { waitMs = 0, ...named } = request.query;
      const asked: Asked = { key, action: { actionId: request.params.id, ...named } };
      // A key that sees every agent reads the audit here, so its read is recorded. A request for the caller's own
      // action is not recorded.
      if (seesEveryAgent(key)) await gateway.reads.recordRead(request);
      const found = await untilSettled(
        gateway,
        { key, actionId: request.params.id },
        { waitMs, gone: request.signal },
        {
          read: () => standingOf(gateway, asked),
          isOpen: (standing) => standing === null || standing.approval?.state === 'waiting',
        },
      );
      if (found === null) throw notDecided(asked.action.actionId);
      return found;
    },
  );
}

type Asked = { key: ApiKeyRecord; action: ActionName };
type Standing = z.output<typeof standing>;

async function standingOf(gateway: Gateway, { key, action }: Asked): Promise<Standing | null> {
  const visible = (agentId: string) => maySee(key, agentId);
  const recent = gateway.replies.recent.standing(key.tenant, action, visible);
  const known = (recent && wholeOf(recent)) ?? null;
  // After a restart, this process may know only the duplicate of a decision that the audit has.
  const isFirst = known !== null && known.duplicateOf === null;
  const found = isFirst ? known : ((await gateway.findDecision?.(key.tenant, action)) ?? known);
  if (found === null || !visible(found.agentId)) return null;
  const [reason = null] = await recheckKillSwitch(gateway, key.tenant, [found]);
  return {
    actionId: found.actionId,
    attempt: found.attempt,
    source: found.source,
    decision: reason === null ? found : withheldDecision(reason, found),
    approval: await approvalOf(gateway, found),
    withheld: reason !== null,
  };
}

async function approvalOf({ ledger }: Gateway, asked: Decision): Promise<Standing['approval']> {
  const { approvalId, tenant, agentId, actionId, digest } = asked;
  if (approvalId === undefined || ledger === null) return null;
  const { state, expiresAtMs } = await ledger.question({ tenant, agentId, actionId, digest });
  if (state === 'none') return null;
  return { id: approvalId, state, expiresAt: expiresAtMs === null ? null : wireTime(expiresAtMs) };
}

/**
 * The caller may not learn of an action of another agent. So the answer is the same whether such an action exists or
 * not.
 */
function notDecided(actionId: string): HttpProblem {
  return new HttpProblem(404, 'DECISION_NOT_FOUND', `no decision on the action ${actionId} is known yet`, {
    remedy:
      'If it was published, ask again in a moment. If agents share an id, name the agent with ?agentId=.',
  });
}
