/** /v1/agents/:id/keys: keys with which an agent publishes. Such a key cannot publish for another agent. */

import { AGENT_SCOPES, described, id, type KeyPins, keyPins, time } from '@mandate/schemas';
import { callerOf, HttpProblem, type HttpServer, issueApiKey } from '@mandate/server';
import { z } from 'zod';
import type { Control } from '../control.ts';
import { type Asked, carryOut } from '../writes/carry-out.ts';
import { dryRunOf } from '../writes/dry-run.ts';
import { notFound } from '../writes/not-found.ts';
import { revokeKey } from '../writes/revoke-key.ts';
import {
  expiresAt,
  expiresInMs,
  IN_THE_WAY,
  idParams,
  MAY_READ,
  MAY_WRITE,
  NOT_THERE,
  revision,
  whyQuery,
} from './shapes.ts';
import { wouldChange } from './would-change.ts';

const tags = ['agents'];

export const issuedKey = z.object({
  id: described(id, 'The public id of the key.', '1bC2dE3fG4hI'),
  key: described(
    z.string(),
    'The key itself. It is shown only here and stored nowhere. Give it to the agent only.',
    'sk-mdt_…',
  ),
});

/** The query parameters of all routes that issue a key. */
export const keyQuery = whyQuery.extend({
  report: described(
    z
      .enum(['true', 'false'])
      .default('true')
      .transform((text) => text === 'true'),
    "Whether the key may report outcomes. `false`: another key must report what became of the agent's actions.",
    'false',
  ),
});

const keyBody = z
  .strictObject({
    pins: described(
      keyPins.optional(),
      'The values that the key fixes: fields of the context, and the user. An action with another value is refused. If absent, an action may have any value.',
    ),
    expiresInMs: described(
      expiresInMs.default(null),
      'How long the key is valid, in milliseconds. null or absent: until it is revoked.',
      2_592_000_000,
    ),
  })
  .nullish()
  .meta({ examples: [{ pins: { context: { environment: 'prod' } }, expiresInMs: 2_592_000_000 }] });

const shownKey = z.object({
  id: described(id, 'The public id of the key.', '1bC2dE3fG4hI'),
  createdAt: described(time, 'When the key was made.'),
  expiresAt,
  pins: described(
    keyPins.optional(),
    'The values that the key fixes in each action. Absent if the key fixes no values.',
  ),
});

export const SHOWN_ONCE =
  'null: this same request was answered before, under its Idempotency-Key. Issue another key.';

type Wanted = {
  agentId: string;
  report: boolean;
  pins?: KeyPins | undefined;
  lastsMs?: number | null | undefined;
};

/** Issues a key. Returns null if an earlier try of the same request has already issued a key. */
export async function issueKey(
  control: Control,
  request: Asked,
  wanted: Wanted,
): Promise<z.output<typeof issuedKey> | null> {
  const { key, what, options } = newKey(control, request, wanted);
  try {
    await carryOut(control, request, null, what, options);
    return { id: what.key.id, key };
  } catch (error) {
    // An earlier try of this request has issued another key. That key cannot be shown again, because only its hash is
    // stored.
    if (error instanceof HttpProblem && error.code === 'ID_REUSED') return null;
    throw error;
  }
}

/** Makes a key, and the change that would issue it. */
function newKey(control: Control, request: Asked, { agentId, report, pins, lastsMs = null }: Wanted) {
  const { tenant } = callerOf(request);
  const { key, record } = issueApiKey(
    { tenant, scopes: AGENT_SCOPES[report ? 0 : 1], agents: [agentId], name: agentId, pins, lastsMs },
    control.clock,
  );
  const what = { event: 'key.issued' as const, agentId, key: record };
  return { key, what, options: { expects: 0, part: `key of ${agentId}` } };
}

export function readAgentKeys(server: HttpServer, { followed }: Control): void {
  server.get(
    '/v1/agents/:id/keys',
    {
      config: { scope: MAY_READ, refusals: NOT_THERE },
      schema: {
        tags,
        summary: 'List the keys of an agent',
        params: idParams,
        response: {
          200: z.object({
            keys: described(
              z.array(shownKey),
              'The keys of the agent that are not revoked, without their secrets.',
            ),
          }),
        },
      },
    },
    (request) => {
      const { id: agentId } = request.params;
      const { agents, keys } = followed.tenant(callerOf(request).tenant);
      if (!agents.has(agentId)) throw notFound('agent', agentId);
      const own = [...keys.values()].filter(({ document }) => document.agentId === agentId);
      return {
        keys: own.map(({ document: { key } }) => {
          const { id, createdAt, expiresAt = null, pins } = key;
          return {
            id,
            createdAt,
            expiresAt,
            ...(pins && { pins }),
          };
        }),
      };
    },
  );
}

export function writeAgentKeys(server: HttpServer, control: Control): void {
  server.post(
    '/v1/agents/:id/keys',
    {
      config: { scope: MAY_WRITE, refusals: { ...NOT_THERE, ...IN_THE_WAY } },
      schema: {
        tags,
        summary: 'Issue a key that publishes and reports as this agent, and does nothing else',
        params: idParams,
        querystring: keyQuery,
        body: keyBody,
        response: {
          200: wouldChange,
          201: z.object({ key: described(issuedKey.nullable(), `The key. ${SHOWN_ONCE}`) }),
        },
      },
    },
    async (request, reply) => {
      const { report } = request.query;
      const { pins, expiresInMs: lastsMs } = request.body ?? {};
      const wanted = { agentId: request.params.id, report, pins, lastsMs };
      if (request.query.dryRun) {
        const { what, options } = newKey(control, request, wanted);
        const dry = await dryRunOf(control, request, what, options);
        if (dry !== null) return dry;
      }
      const key = await issueKey(control, request, wanted);
      reply.code(201);
      return { key };
    },
  );

  server.delete(
    '/v1/agents/:id/keys/:keyId',
    {
      config: { scope: [MAY_WRITE, 'admin'], refusals: { ...NOT_THERE, ...IN_THE_WAY } },
      schema: {
        tags,
        summary: 'Revoke a key: it is refused from then on',
        params: idParams.extend({ keyId: described(id, 'The public id of the key.', '1bC2dE3fG4hI') }),
        querystring: whyQuery,
        response: { 200: z.union([wouldChange, z.object({ revision })]) },
      },
    },
    async (request, reply) => {
      const { id: agentId, keyId } = request.params;
      const what = { event: 'key.revoked' as const, agentId, keyId };
      return revokeKey(control, request, reply, what);
    },
  );
}
