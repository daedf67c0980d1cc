/** GET /v1/actions/:id: the decision that stands, and what a person has answered; it may wait for both. */

import {
  type ApiKeyRecord,
  CAPS,
  type Decision,
  decision,
  id,
  source,
  time,
  wireTime,
} from '@mandate/schemas';
import { callerOf, HttpProblem, type HttpServer } from '@mandate/server';
import { z } from 'zod';
import { type ActionName, wholeOf } from '../answers/recent-answers.ts';
import type { Gateway } from '../gateway.ts';
import { maySee, seesEveryAgent } from '../own-agents.ts';
import { recheckKillSwitch, withheldDecision } from '../recheck-kill-switch.ts';

const approval = z
  .object({
    id: z.string().describe('By which a person grants or denies it.'),
    state: z
      .enum(['waiting', 'granted', 'denied', 'expired'])
      .describe(
        '`waiting`: no person has answered. `granted`: send the same action again, with the same id and attempt, before `expiresAt`. `expired`: the grant ran out, and a person may give another.',
      ),
    expiresAt: time.nullable().describe('Of a grant.'),
  })
  .nullable()
  .describe('What a person has answered. Null: no person is asked, or the question is forgotten.');

const standing = z.object({
  actionId: z.string(),
  attempt: z.int(),
  source,
  decision,
  approval,
  withheld: z
    .boolean()
    .describe(
      'The record on the log says ALLOW, but the agent was killed after it, whether it was revived since or not: it must not begin. One that was handed over before the kill, and runs, is shown so too.',
    ),
});

export function showDecision(server: HttpServer, gateway: Gateway): void {
  server.get(
    '/v1/actions/:id',
    {
      config: { scope: ['publish', 'audit'], refusals: { 404: 'No decision on that action is known yet.' } },
      schema: {
        tags: ['publish'],
        summary:
          'The decision that stands for an action; with waitMs, wait for it, and for a person to answer',
        description:
          'Of the newest attempt, unless one is asked for. Ids belong to an agent: name it where two share one. With `waitMs`, the answer comes once the action is decided, and if that asks a person, once the person has answered; after that time it says what stands. It changes nothing: a granted action still has to be sent again. Asked with a key that sees every agent, it is on record before it is answered.',
        params: z.object({ id: id.describe('The action’s id.').meta({ examples: ['act_1'] }) }),
        querystring: z.strictObject({
          agentId: id
            .optional()
            .describe('Whose action it is.')
            .meta({ examples: ['airline-007'] }),
          attempt: z.coerce
            .number()
            .int()
            .min(1)
            .max(CAPS.attempts)
            .optional()
            .describe('Which attempt at it.'),
          waitMs: z.coerce
            .number()
            .int()
            .min(0)
            .max(CAPS.waitMs)
            .optional()
            .describe('Wait at most so long for the decision, and for a person to answer.'),
        }),
        response: { 200: standing },
      },
    },
    async (request) => {
      const key = callerOf(request);
      const { waitMs = 0, ...named } = request.query;
      const asked: Asked = { key, action: { actionId: request.params.id, ...named } };
      // An agent that asks what became of its own action is no reader of the audit; a key that sees every agent is one.
      if (seesEveryAgent(key)) await gateway.reads.recordRead(request);
      const found = await untilAnswered(gateway, asked, { waitMs, gone: request.signal });
      if (found === null) throw notDecided(asked.action.actionId);
      return found;
    },
  );
}

type Asked = { key: ApiKeyRecord; action: ActionName };
type Standing = z.output<typeof standing>;

/** Looks again at each change of the action, until there is nothing to wait for. */
async function untilAnswered(
  gateway: Gateway,
  asked: Asked,
  { waitMs, gone }: { waitMs: number; gone: AbortSignal },
): Promise<Standing | null> {
  if (waitMs === 0) return standingOf(gateway, asked);
  const { board } = gateway;
  const cut = new AbortController();
  const place = board.take(1, { tenant: asked.key.tenant, key: asked.key.id }, () => cut.abort());
  const over = AbortSignal.any([gone, cut.signal]);
  const listening = board.changes.listen(asked.key.tenant, asked.action.actionId);
  const untilMs = performance.now() + waitMs;
  try {
    for (;;) {
      const found = await standingOf(gateway, asked);
      const waits = found === null || found.approval?.state === 'waiting';
      if (!waits) return found;
      const isChanged = await listening.next(Math.max(0, untilMs - performance.now()), over);
      if (!isChanged) return standingOf(gateway, asked);
    }
  } finally {
    listening.stop();
    place.leave();
  }
}

async function standingOf(gateway: Gateway, { key, action }: Asked): Promise<Standing | null> {
  const visible = (agentId: string) => maySee(key, agentId);
  const recent = gateway.board.recent.standing(key.tenant, action, visible);
  const found = (recent && wholeOf(recent)) ?? (await gateway.findDecision?.(key.tenant, action)) ?? null;
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

/** Also where another agent's action has this id: whether it exists is not the caller's business. */
function notDecided(actionId: string): HttpProblem {
  return new HttpProblem(404, 'DECISION_NOT_FOUND', `no decision on the action ${actionId} is known yet`, {
    remedy:
      'If it was published, ask again in a moment; name its agent with ?agentId= where agents share an id.',
  });
}
