/**
 * /v1/grants: grants that are issued to an agent for a limited time. A grant fixes what the agent may do. Later
 * changes of rules do not alter the grant.
 */
import { type Grant, policiesNamed } from '@mandate/control';
import { described, id, type MatchedRule, RULE_MODES, time } from '@mandate/schemas';
import { callerOf, HttpProblem, type HttpReply, type HttpServer } from '@mandate/server';
import { z } from 'zod';
import type { Control } from '../control.ts';
import { carryOut } from '../writes/carry-out.ts';
import { dryRunOf } from '../writes/dry-run.ts';
import { etagOf } from '../writes/expected-revision.ts';
import { notFound } from '../writes/not-found.ts';
import { appliedPolicies, type Expanded, expand, shownPolicies } from './applied-policies.ts';
import { issue, issueBody } from './issue-grant.ts';
import { pagesById } from './pages.ts';
import { IN_THE_WAY, idParams, MAY_READ, MAY_WRITE, NOT_THERE, revision, whyQuery } from './shapes.ts';
import { wouldChange } from './would-change.ts';

const tags = ['grants'];
export const matched = z.array(
  z.object({
    rule: described(id, 'The rule.', 'support-reads'),
    policy: described(z.string(), 'The policy that it gives, with its version.', 'read-only@3'),
    mode: described(z.enum(RULE_MODES), 'The mode of the rule.'),
  }),
);
const listed = z.object({
  revision,
  grant: described(
    z.object({
      id: described(
        id,
        'The id of the grant. Actions of the agent name it as `mandateId`.',
        'mnd_01ke6p9y40d2c1b0a99887766554433',
      ),
      agentId: described(id, 'The agent that may act under the grant.', 'airline-007'),
      context: described(
        z.record(z.string(), z.unknown()),
        'The context of the grant. An action under the grant must have the same context, or none.',
        { environment: 'prod' },
      ),
      rules: described(z.array(id), 'The rules that match every action under the grant.', ['support-reads']),
      policies: described(z.array(z.string()), 'The policies that these rules give, with their versions.', [
        'read-only@3',
      ]),
      issuedBy: described(
        z.string(),
        'The person or the API key that issued it.',
        'orchestrator (0aB1cD2eF3gH)',
      ),
      issuedAt: described(time, 'When it was issued.'),
      expiresAt: described(time, 'Until when it is valid.'),
      revokedAt: described(time.nullable(), 'When the grant was revoked. null: it was not revoked.'),
    }),
    'The grant.',
  ),
  ttlMs: described(
    z.int(),
    'The validity of the grant, in milliseconds. It is shorter than the request asks for if a rule begins or ends earlier.',
    300_000,
  ),
  matchedRules: described(matched, 'The rules that match every action under the grant.'),
  openRules: described(
    matched,
    'The rules that are asked again for each action, because they look at the action.',
  ),
});
const answer = listed.extend({ appliedPolicies });

const STATES = ['live', 'ended', 'revoked', 'all'] as const;
const pages = pagesById('grants', listed);
const listQuery = pages.querystring.extend({
  agentId: described(id.optional(), 'Only grants of this agent.', 'airline-007'),
  state: described(
    z.enum(STATES).default('live'),
    'Which grants to return. `live`: neither ended nor revoked. Ended and revoked grants are kept for a while.',
    'live',
  ),
});

/** Returns the names of the rules and of their policies, sorted, each name once. */
export function namesOf(matched: readonly MatchedRule[]): { rules: string[]; policies: string[] } {
  const [rules, policies] = [matched.map(({ rule }) => rule), matched.map(({ policy }) => policy)];
  return { rules: [...new Set(rules)].sort(), policies: [...new Set(policies)].sort() };
}

function listedOf({ revision, document, ...issued }: Grant): z.output<typeof listed> {
  const { issuedBy, issuedAt, endsAtMs, revokedAt } = issued;
  const { id, agentId, context, rules, openRules, expiresAt } = document;
  return {
    revision,
    grant: {
      ...{
        id,
        agentId,
        context,
        issuedBy,
        issuedAt,
        expiresAt,
        revokedAt,
      },
      ...namesOf(rules),
    },
    ttlMs: endsAtMs - Date.parse(issuedAt),
    matchedRules: rules,
    openRules,
  };
}

function shownOf(control: Control, tenant: string, issued: Grant, query: Expanded): z.output<typeof answer> {
  const policies = policiesNamed(control.followed.tenant(tenant), issued.document.rules);
  return { ...listedOf(issued), appliedPolicies: shownPolicies(policies, query) };
}

function isIn(state: (typeof STATES)[number], { revokedAt, endsAtMs }: Grant, atMs: number): boolean {
  if (state === 'all') return true;
  return state === (revokedAt !== null ? 'revoked' : endsAtMs <= atMs ? 'ended' : 'live');
}

export function readGrants(server: HttpServer, control: Control): void {
  server.get(
    '/v1/grants',
    {
      config: { scope: MAY_READ },
      schema: {
        tags,
        summary: 'List grants, the oldest first',
        querystring: listQuery,
        response: { 200: pages.response },
      },
    },
    (request) => {
      const { agentId, state } = request.query;
      const { byId } = control.followed.tenant(callerOf(request).tenant).issued;
      const atMs = control.clock();
      const wanted = [...byId].filter(
        ([, one]) => (agentId === undefined || one.document.agentId === agentId) && isIn(state, one, atMs),
      );
      return pages.page(new Map(wanted), request.query, listedOf);
    },
  );

  server.get(
    '/v1/grants/:id',
    {
      config: { scope: MAY_READ, refusals: NOT_THERE },
      schema: {
        tags,
        summary: 'Show one grant',
        description: 'A grant that has ended or was revoked is shown for some time after its end.',
        params: idParams,
        querystring: z.strictObject(expand),
        response: { 200: answer },
      },
    },
    (request, reply) => {
      const { tenant } = callerOf(request);
      return found(control, tenant, request.params.id, reply, request.query);
    },
  );
}

export function writeGrants(server: HttpServer, control: Control): void {
  server.post(
    '/v1/grants/issue',
    {
      config: { scope: MAY_WRITE, refusals: { ...NOT_THERE, ...IN_THE_WAY } },
      schema: {
        tags,
        summary:
          'Issue an agent a grant: what the agent may do now, valid for a while, even if its rules change',
        description:
          'To act under the grant, the agent sends an action with the id of the grant as `mandateId`.',
        querystring: whyQuery.extend(expand),
        body: issueBody,
        response: { 200: wouldChange, 201: answer },
      },
    },
    async (request, reply) => {
      const { tenant } = callerOf(request);
      const issued = await issue(control, request, request.body);
      if (issued !== undefined && 'dryRun' in issued) return issued;
      if (issued === undefined)
        throw new HttpProblem(409, 'ID_REUSED', 'the grant of this Idempotency-Key has ended', {
          remedy: 'Issue another grant, with another Idempotency-Key.',
        });
      reply.code(201).header('location', `/v1/grants/${encodeURIComponent(issued.document.id)}`);
      return found(control, tenant, issued.document.id, reply, request.query);
    },
  );

  server.post(
    '/v1/grants/:id/revoke',
    {
      config: { scope: MAY_WRITE, refusals: { ...NOT_THERE, ...IN_THE_WAY } },
      schema: {
        tags,
        summary: 'Revoke a grant: nothing more is allowed under it',
        params: idParams,
        querystring: whyQuery.extend(expand),
        response: { 200: z.union([wouldChange, answer]) },
      },
    },
    async (request, reply) => {
      const { id: grantId } = request.params;
      const what = { event: 'grant.revoked' as const, grantId };
      const dry = await dryRunOf(control, request, what);
      if (dry !== null) return dry;
      await carryOut(control, request, reply, what);
      return found(control, callerOf(request).tenant, grantId, reply, request.query);
    },
  );
}

function found(control: Control, tenant: string, grantId: string, reply: HttpReply, query: Expanded) {
  const issued = control.followed.tenant(tenant).issued.byId.get(grantId);
  if (issued === undefined) throw notFound('grant', grantId);
  reply.header('etag', etagOf(issued.revision));
  return shownOf(control, tenant, issued, query);
}
