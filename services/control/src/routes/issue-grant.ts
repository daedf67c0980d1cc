/**
 * Issues a grant (POST /v1/grants/issue): finds the rules that match, and puts the grant with these rules on the
 * log.
 */
import { randomBytes } from 'node:crypto';
import { type ComposedGrant, composeGrant, type Grant, type GrantComposed } from '@mandate/control';
import { canonicalJson } from '@mandate/policy';
import { CAPS, DEFAULTS, described, grantContext, id, sortableId, wireTime } from '@mandate/schemas';
import { callerOf, HttpProblem } from '@mandate/server';
import { z } from 'zod';
import type { Control } from '../control.ts';
import { type Asked, carryOut, repeatableId } from '../writes/carry-out.ts';
import { dryRunOf, type WouldChange } from '../writes/dry-run.ts';
import { notFound } from '../writes/not-found.ts';

/** How often the service tries to issue a grant. A try fails if a document changes between reading and writing. */
const MOST_TRIES = 5;

export const issueBody = z
  .strictObject({
    agentId: described(id, 'The agent that gets the grant.', 'airline-007'),
    context: described(
      grantContext.default({}),
      'The context in which the agent will act. The record always keeps it, so name no person in it.',
      { environment: 'prod' },
    ),
    ttlMs: described(
      z.int().min(1_000).max(CAPS.grantTtlMs).default(DEFAULTS.grantTtlMs),
      'How long the grant is valid, in milliseconds. It ends earlier if a rule begins or ends before.',
      300_000,
    ),
  })
  .meta({ examples: [{ agentId: 'airline-007', context: { environment: 'prod' }, ttlMs: 60_000 }] });
type Wanted = z.output<typeof issueBody>;

/**
 * Issues a grant. The record names the rules and policies that were read here. If a document changes before the
 * record is on the log, the record has no effect, and the service tries again. Returns undefined if the same request
 * was answered before, and its grant is already forgotten. In a dry run, returns what would change.
 */
export async function issue(
  control: Control,
  request: Asked,
  wanted: Wanted,
): Promise<Grant | WouldChange | undefined> {
  const { tenant } = callerOf(request);
  if (request.query.dryRun) {
    const what = { event: 'grant.issued' as const, grant: grantNow(control, tenant, wanted) };
    const dry = await dryRunOf(control, request, what, { expects: 0, part: partOf(1) });
    if (dry !== null) return dry;
  }
  const first = issuedBefore(control, request, wanted);
  if (first !== undefined) return first;
  for (let tried = 1; ; tried += 1) {
    const grant = grantNow(control, tenant, wanted);
    const what = { event: 'grant.issued' as const, grant };
    try {
      await carryOut(control, request, null, what, { expects: 0, part: partOf(tried) });
      const { byId } = control.followed.tenant(tenant).issued;
      // The grant is missing if the same request was sent twice at once, and the other request has issued the grant.
      return byId.get(grant.id) ?? issuedBefore(control, request, wanted);
    } catch (error) {
      const isLate = error instanceof HttpProblem && error.code === 'REVISION_CONFLICT';
      if (!isLate || tried === MOST_TRIES) throw error;
    }
  }
}

function partOf(tried: number): string {
  return `grant, try ${tried}`;
}

/**
 * Returns the grant that an earlier try of the same request issued. The Idempotency-Key identifies the request, even
 * if documents have changed since.
 */
function issuedBefore(
  control: Control,
  request: Asked,
  { agentId, context, ttlMs }: Wanted,
): Grant | undefined {
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

function grantNow({ followed, clock }: Control, tenant: string, wanted: Wanted) {
  const control = followed.tenant(tenant);
  const agent = control.agents.get(wanted.agentId);
  if (agent === undefined) throw notFound('agent', wanted.agentId);
  const atMs = clock();
  const composed = composeGrant(control, agent, wanted.context, atMs);
  if (!composed.ok) {
    const { code, reason, remedy } = nothingToIssue(composed);
    throw new HttpProblem(409, code, reason, { remedy });
  }
  const { rules, openRules, startsAtMs } = composed.composed;
  return {
    id: sortableId('mnd', atMs, randomBytes(10).toString('hex')),
    ...wanted,
    ...{ rules: [...rules], openRules: [...openRules], foundAt: control.revision },
    expiresAt: wireTime(endMsOf(composed.composed, wanted, atMs)),
    ...(startsAtMs !== null && { startsAt: wireTime(startsAtMs) }),
  };
}

/** Returns when a grant ends, in milliseconds, if it is issued at `atMs`. */
export function endMsOf({ endsAtMs }: ComposedGrant, { ttlMs }: Pick<Wanted, 'ttlMs'>, atMs: number): number {
  return Math.min(atMs + ttlMs, endsAtMs ?? Number.POSITIVE_INFINITY);
}

export const NOTHING_TO_ISSUE = [
  'TENANT_CLOSED',

  'TOO_MANY',
  'RULES_TOO_COSTLY',
  'NO_RULE_MATCHES',
  'POLICY_MISSING',
] as const;

/** Returns why no grant is issued, for the problem of a request or for a preview. */
export function nothingToIssue(composed: Extract<GrantComposed, { ok: false }>): {
  code: (typeof NOTHING_TO_ISSUE)[number];
  reason: string;
  remedy: string;
} {
  switch (composed.why) {
    case 'TENANT_CLOSED':
      return {
        code: 'TENANT_CLOSED',
        reason: 'the tenant is closed: no grant is issued in it',
        remedy: 'Ask an operator of the plane to open it again.',
      };
    case 'TOO_MANY_RULES':
      return {
        code: 'TOO_MANY',
        reason: `more than ${CAPS.rulesPerMandate} rules match the agent`,
        remedy: 'Combine several policies. A mandate can have no more rules.',
      };
    case 'TOO_COSTLY':
      return {
        code: 'RULES_TOO_COSTLY',
        reason: 'the rules of this agent take more steps than they may',
        remedy: 'Use fewer and simpler patterns, or shorter texts. POST /v1/mandates/preview names the rule.',
      };
    case 'NO_RULE':
      return {
        code: 'NO_RULE_MATCHES',
        reason: 'no rule matches the agent in this context',
        remedy:
          'Add a rule that matches it. `near` in the answer of POST /v1/mandates/preview lists the rules that name it, and why each does not match.',
      };
    case 'POLICY_MISSING':
      return {
        code: 'POLICY_MISSING',
        reason: `the rule "${composed.rule}" names a policy that does not exist: it blocks what it matches`,
        remedy: 'Publish that policy, or name another one in the rule. GET /v1/lint lists all such rules.',
      };
  }
}
