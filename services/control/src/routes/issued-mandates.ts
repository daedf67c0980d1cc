/** /v1/mandates: issued to an agent for a while. What it may do under one is fixed then; what changes later changes others. */
import { randomBytes } from 'node:crypto';
import {
  canonicalJson,
  composeIssue,
  type IssueComposed,
  type IssuedMandate,
  policiesNamed,
} from '@mandate/policy';
import { callerOf, HttpProblem, type HttpServer } from '@mandate/runtime';
import {
  CAPS,
  DEFAULTS,
  id,
  issuedContext,
  type MatchedRule,
  policyDocument,
  RULE_MODES,
  sortableId,
  time,
  wireTime,
} from '@mandate/schemas';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import type { Control } from '../control.ts';
import { type Asked, carryOut, repeatableId } from '../writes/carry-out.ts';
import { etagOf } from '../writes/expected-revision.ts';
import { notFound } from '../writes/not-found.ts';
import { IN_THE_WAY, idParams, MAY_READ, MAY_WRITE, NOT_THERE, revision, whyQuery } from './shapes.ts';

const tags = ['mandates'];
/** Each time, what it would be made of was changed between looking and writing. */
const MOST_TRIES = 5;

const body = z
  .strictObject({
    agentId: id,
    context: issuedContext
      .default({})
      .describe('What the agent is to act in. It stands in the record for ever: name nobody in it.'),
    ttlMs: z.int().min(1_000).max(CAPS.mandateTtlMs).default(DEFAULTS.mandateTtlMs),
  })
  .meta({ examples: [{ agentId: 'airline-007', context: { environment: 'prod' }, ttlMs: 60_000 }] });
type Wanted = z.output<typeof body>;

const matched = z.array(z.object({ rule: id, policy: z.string(), mode: z.enum(RULE_MODES) }));
const answer = z.object({
  revision,
  mandate: z.object({
    id: id.describe('For the `mandateId` of the actions of this agent.'),
    agentId: id,
    context: z.record(z.string(), z.unknown()),
    rules: z.array(id),
    policies: z.array(z.string()),
    issuedBy: z.string(),
    issuedAt: time,
    expiresAt: time,
    revokedAt: time.nullable(),
  }),
  ttlMs: z.int().describe('Less than was asked for where a rule begins or ends before.'),
  matchedRules: matched.describe('Those that everything is held to which the agent does under it.'),
  openRules: matched.describe('Those that look at what an action alone tells: each action is asked.'),
  appliedPolicies: z.array(
    z.object({
      name: z.string(),
      policy: policyDocument.nullable().describe('null: it was archived, and blocks.'),
    }),
  ),
});

function shownOf(control: Control, tenant: string, issued: IssuedMandate): z.output<typeof answer> {
  const { revision, document, issuedBy, issuedAt, endsAtMs, revokedAt } = issued;
  const { id, agentId, context, rules, openRules, expiresAt } = document;
  const policies = policiesNamed(control.followed.tenant(tenant), rules);
  return {
    revision,
    mandate: {
      ...{ id, agentId, context, issuedBy, issuedAt, expiresAt, revokedAt },
      rules: namesOf(rules),
      policies: [...policies.keys()].sort(),
    },
    ttlMs: endsAtMs - Date.parse(issuedAt),
    matchedRules: rules,
    openRules,
    appliedPolicies: [...policies].map(([name, policy]) => ({ name, policy })),
  };
}

function namesOf(rules: readonly MatchedRule[]): string[] {
  return rules.map(({ rule }) => rule).sort();
}

export function readIssuedMandates(server: HttpServer, control: Control): void {
  server.get(
    '/v1/mandates/:id',
    {
      config: { scope: MAY_READ, refusals: NOT_THERE },
      schema: {
        tags,
        summary: 'A mandate that was issued',
        description: 'One that has ended, or was revoked, is still there for a while.',
        params: idParams,
        response: { 200: answer },
      },
    },
    (request, reply) => {
      const { tenant } = callerOf(request);
      return found(control, tenant, request.params.id, reply);
    },
  );
}

export function writeIssuedMandates(server: HttpServer, control: Control): void {
  server.post(
    '/v1/mandates/issue',
    {
      config: { scope: MAY_WRITE, refusals: { ...NOT_THERE, ...IN_THE_WAY } },
      schema: {
        tags,
        summary: 'Issue an agent a mandate: what it may do now, for a while, whatever is changed meanwhile',
        querystring: whyQuery,
        body,
        response: { 201: answer },
      },
    },
    async (request, reply) => {
      const { tenant } = callerOf(request);
      const issued = await issue(control, request, request.body);
      if (issued === undefined)
        throw new HttpProblem(409, 'ID_REUSED', 'what was issued under this Idempotency-Key has ended', {
          remedy: 'Ask for another, under a key of its own.',
        });
      reply.code(201).header('location', `/v1/mandates/${encodeURIComponent(issued.document.id)}`);
      return found(control, tenant, issued.document.id, reply);
    },
  );

  server.post(
    '/v1/mandates/:id/revoke',
    {
      config: { scope: MAY_WRITE, refusals: { ...NOT_THERE, ...IN_THE_WAY } },
      schema: {
        tags,
        summary: 'Revoke an issued mandate: nothing more is allowed under it',
        params: idParams,
        querystring: whyQuery,
        response: { 200: answer },
      },
    },
    async (request, reply) => {
      const { id: mandateId } = request.params;
      await carryOut(control, request, reply, { event: 'mandate.revoked', mandateId });
      return found(control, callerOf(request).tenant, mandateId, reply);
    },
  );
}

function found(control: Control, tenant: string, mandateId: string, reply: FastifyReply) {
  const issued = control.followed.tenant(tenant).issued.byId.get(mandateId);
  if (issued === undefined) throw notFound('mandate', mandateId);
  reply.header('etag', etagOf(issued.revision));
  return shownOf(control, tenant, issued);
}

/**
 * The record says what the mandate is made of, as it was found here; where that is changed before the record is on the log,
 * it takes no effect, and it is looked again. Undefined where this very request was answered before with one that is forgotten.
 */
async function issue(control: Control, request: Asked, wanted: Wanted): Promise<IssuedMandate | undefined> {
  const { tenant } = callerOf(request);
  const first = issuedBefore(control, request, wanted);
  if (first !== undefined) return first;
  for (let tried = 1; ; tried += 1) {
    const mandate = mandateNow(control, tenant, wanted);
    const what = { event: 'mandate.issued' as const, mandate };
    try {
      await carryOut(control, request, null, what, { expects: 0, part: partOf(tried) });
      const { byId } = control.followed.tenant(tenant).issued;
      // The same request may have been on its way twice.
      return byId.get(mandate.id) ?? issuedBefore(control, request, wanted);
    } catch (error) {
      const isLate = error instanceof HttpProblem && error.code === 'REVISION_CONFLICT';
      if (!isLate || tried === MOST_TRIES) throw error;
    }
  }
}

function partOf(tried: number): string {
  return `mandate, try ${tried}`;
}

/** By this very request, under its Idempotency-Key, whatever was changed since. */
function issuedBefore(
  control: Control,
  request: Asked,
  { agentId, context, ttlMs }: Wanted,
): IssuedMandate | undefined {
  if (repeatableId(request) === null) return undefined;
  const ids = new Set(Array.from({ length: MOST_TRIES }, (_, at) => repeatableId(request, partOf(at + 1))));
  const { byId } = control.followed.tenant(callerOf(request).tenant).issued;
  const one = [...byId.values()].find(({ changeId }) => ids.has(changeId));
  const isSame =
    one?.document.agentId === agentId &&
    one.document.ttlMs === ttlMs &&
    canonicalJson(one.document.context) === canonicalJson(context);
  return isSame ? one : undefined;
}

function mandateNow({ followed, clock }: Control, tenant: string, { agentId, context, ttlMs }: Wanted) {
  const control = followed.tenant(tenant);
  const agent = control.agents.get(agentId);
  if (agent === undefined) throw notFound('agent', agentId);
  const atMs = clock();
  const composed = composeIssue(control, agent, context, atMs);
  if (!composed.ok) throw nothingToIssue(composed);
  const { rules, openRules, startsAtMs, endsAtMs } = composed.composed;
  const endMs = Math.min(atMs + ttlMs, endsAtMs ?? Number.POSITIVE_INFINITY);
  return {
    id: sortableId('mnd', atMs, randomBytes(10).toString('hex')),
    ...{ agentId, context, ttlMs, foundAt: control.revision, expiresAt: wireTime(endMs) },
    ...{ rules: [...rules], openRules: [...openRules] },
    ...(startsAtMs !== null && { startsAt: wireTime(startsAtMs) }),
  };
}

function nothingToIssue(composed: Extract<IssueComposed, { ok: false }>): HttpProblem {
  if (composed.why === 'TOO_MANY_RULES')
    return new HttpProblem(409, 'TOO_MANY', `more than ${CAPS.rulesPerMandate} rules match the agent`, {
      remedy: 'Put several policies into one; a mandate holds no more.',
    });
  if (composed.why === 'NO_RULE')
    return new HttpProblem(409, 'NO_RULE_MATCHES', 'no rule matches the agent in this context', {
      remedy: 'Have a rule match it (POST /v1/mandates/preview tells which do): without, nothing is allowed.',
    });
  return new HttpProblem(
    409,
    'POLICY_MISSING',
    `the rule "${composed.rule}" names a policy that is not there: nothing that it matches is allowed`,
    { remedy: 'Publish that policy, or have the rule name another; GET /v1/lint names all of these.' },
  );
}
