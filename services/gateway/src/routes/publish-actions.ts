/** POST /v1/actions: an agent describes the action that it wants to take, and may wait for the decision. */

import {
  type Action,
  action,
  actionRequested,
  beforeDecision,
  decision,
  described,
  logPosition,
} from '@mandate/schemas';
import { callerOf, HttpProblem, type HttpReply, type HttpServer, idempotencyKeyOf } from '@mandate/server';
import { z } from 'zod';
import { type Decided, wholeOf } from '../answers/recent-answers.ts';
import type { Gateway } from '../gateway.ts';
import { openQuestion } from '../publish/open-question.ts';
import { pinClaims } from '../publish/pin-claims.ts';
import { type Published, publishRecords, type Route } from '../publish/publish-records.ts';
import { MAX_RECORDS } from '../publish/read-submission.ts';
import { redactAction } from '../publish/redact-action.ts';
import { recheckKillSwitch, withheldDecision } from '../recheck-kill-switch.ts';
import { waitQuery } from './wait-query.ts';

const schemas = { bare: action, record: actionRequested.transform((record) => record.action) };

const result = z.object({
  actionId: described(z.string(), 'The action that was published.', 'act_7f3a'),
  attempt: described(z.int(), 'The number of the attempt, from 1.', 1),
  source: described(logPosition, 'The log position of the request.'),
  decision: described(decision.nullable(), 'The decision. null: it did not come within `waitMs`.'),
  withheld: described(
    z.boolean(),
    'Whether an ALLOW is withheld: the log says ALLOW, but the agent was killed before this answer. The agent must not run the action.',
    false,
  ),
});
const answers = z.union([
  result,
  z.object({
    results: described(z.array(result), 'An answer for each action, in the order of the request.'),
  }),
]);

export function publishActions(server: HttpServer, gateway: Gateway): void {
  server.post(
    '/v1/actions',
    {
      config: {
        scope: 'publish',
        rawJson: true,
        counted: 'publish',
        refusals: {
          409: 'The tenant was closed.',
          410: 'The person for whom the agent acts was forgotten.',
        },
      },
      schema: {
        tags: ['publish'],
        summary: 'Publish an action, or a list of them; with waitMs, wait for the decisions',
        description:
          'Either the whole list is published, or nothing. The same action sent again is decided and charged once. While ' +
          'a person is asked about an action, a repeat gets the waiting decision, and no record is written. The context, ' +
          'the principal and the cost of an action are claims of the caller. An API key may fix values of the context ' +
          'and the principal. An action with another value is refused, and a missing value is filled in.',
        querystring: waitQuery,
        body: z
          .union([
            action,
            actionRequested,
            z
              .array(z.union([action, actionRequested]))
              .min(1)
              .max(MAX_RECORDS),
          ])
          .meta({
            examples: [
              {
                id: 'act_1',
                agentId: 'airline-007',
                type: 'tool_call',
                tool: 'send_certificate',
                args: { user_id: 'mia_li_3668', amount: 50 },
                estimatedCostMicros: 100_000,
              },
            ],
          }),
        response: { 200: answers, 202: answers },
      },
    },
    async (request, reply) => {
      const { waitMs } = request.query;
      const idempotencyKey = idempotencyKeyOf(request);
      if (gateway.isClosed(callerOf(request).tenant)) throw tenantClosed();
      const route: Route<Action> = {
        code: 'INVALID_ACTION',
        canBeRefused: true,
        schemas,
        recordOf: (item, { tenant, many }) => {
          if (idempotencyKey !== null && many) throw keyForMany();
          const given = idempotencyKey === null ? {} : { idempotencyKey };
          const deadline = waitMs > 0 ? { deadlineMs: waitMs } : {};
          const { claims, pinned = null } = pinClaims(callerOf(request), item) ?? {};
          const original = { ...given, ...deadline, ...item, ...claims, tenant };
          const { action, fingerprint } = redactAction(gateway, original, tenant);
          const isAsSent = action === original && pinned === null;
          return { record: { event: 'action.requested', action }, fingerprint, pinned, isAsSent };
        },
        answerNow: (made, tenant) => openQuestion(gateway, tenant, made),
      };
      await gateway.untilSealable();
      const answered = await publishRecords(gateway, request, reply, { route, waitMs });
      const { many, published, appended } = answered;
      gateway.measures.published.inc({ event: 'action.requested' }, appended);

      const decided = published.map(({ answer }) => (answer?.event === 'action.decided' ? answer : null));
      const reasons = await recheckKillSwitch(
        gateway,
        callerOf(request).tenant,
        decided.map((answer) => answer?.decision ?? null),
      );
      const results = published.map((each, index) =>
        textOf(each, decided[index] ?? null, reasons[index] ?? null),
      );

      reply.code(decided.includes(null) ? 202 : 200);
      const [only] = published;
      const isList = many || only === undefined;
      if (!isList && decided.includes(null)) reply.header('location', locationOf(only.item));
      return sendJson(reply, isList ? `{"results":[${results.join()}]}` : results.join());
    },
  );
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Returns the result as JSON. If the ALLOW is not withheld, the decision is copied from its record on the log. This
 * takes 13 µs of CPU for each request. Parsing the decision, checking it and writing it again took 40 µs.
 */
function textOf({ item, source }: Published<Action>, decided: Decided | null, reason: string | null): string {
  const named = { actionId: item.id, attempt: item.attempt ?? 1, source };
  if (decided === null) return JSON.stringify({ ...named, decision: null, withheld: false });
  if (reason === null) return beforeDecision({ ...named, withheld: false }, utf8.decode(decided.value));
  return JSON.stringify({ ...named, decision: withheldDecision(reason, wholeOf(decided)), withheld: true });
}

/**
 * Sends text that is already JSON. A value would be checked against the schema of the answer and serialized again.
 */
function sendJson(reply: HttpReply, text: string): HttpReply {
  return reply.type('application/json; charset=utf-8').send(text);
}

function tenantClosed(): HttpProblem {
  return new HttpProblem(409, 'TENANT_CLOSED', 'the tenant was closed: nothing is allowed in it', {
    remedy: 'Nothing was published. Ask an operator of the plane to open the tenant again.',
  });
}

function keyForMany(): HttpProblem {
  return new HttpProblem(
    400,
    'INVALID_IDEMPOTENCY_KEY',
    'an Idempotency-Key cannot be used with a list of actions',
    {
      remedy: 'Nothing was published. Give each action its own idempotencyKey instead.',
    },
  );
}

function locationOf({ id, agentId, attempt = 1 }: Action): string {
  return `/v1/actions/${encodeURIComponent(id)}?${new URLSearchParams({ agentId, attempt: String(attempt) })}`;
}
