/**
 * The grants in the control state. A grant contains its sources as of its log position: the agent, the rules, and the
 * numbers of the policy versions. Later changes do not affect the grant.
 *
 * The times in later records decide whether a grant has ended, so every reader forgets the same grants. A forgotten
 * grant allows nothing, like a grant that never existed.
 */
import {
  type AgentDocument,
  CAPS,
  type ControlRecord,
  type GrantDocument,
  type MatchedRule,
  policyNamed,
  type RuleDocument,
} from '@mandate/schemas';
import { quotaOf } from './quotas.ts';
import { type OpenedTenant, type PolicyHistory, type Revisioned, unitsOf } from './revisioned.ts';

export type Grant = Revisioned<GrantDocument> & {
  /** The id of the change that issued the grant. */
  readonly changeId: string;
  readonly issuedBy: string;
  readonly issuedAt: string;
  /** 0 if the grant has no start. */
  readonly startsAtMs: number;
  readonly endsAtMs: number;
  /** When the grant was revoked. Null if it was not revoked. */
  readonly revokedAt: string | null;
  readonly agent: Revisioned<AgentDocument>;
  /**
   * The rules of the grant: rules that matched when the grant was issued, and rules with conditions that each action
   * must answer.
   */
  readonly rules: readonly { readonly rule: Revisioned<RuleDocument>; readonly version: number }[];
};

export type Grants = {
  readonly byId: Map<string, Grant>;
  /** The ids of grants by agent id. */
  readonly ofAgent: Map<string, Set<string>>;
  /** Ended grants are forgotten when the number of grants reaches this number. */
  forgetAt: number;
  /** The documents that grants were made from, current or not, each with the number of grants that use it. */
  readonly made: Map<Revisioned<object>, number>;
  /** The size of the grants and of the documents that they use, as JSON, in UTF-16 units. */
  units: number;
};

type Issued = Extract<ControlRecord, { event: 'grant.issued' }>;
type Revoked = Extract<ControlRecord, { event: 'grant.revoked' }>;

/** The current documents, from which a grant is made. */
type CurrentDocuments = {
  readonly agents: ReadonlyMap<string, Revisioned<AgentDocument>>;
  readonly policies: ReadonlyMap<string, PolicyHistory>;
  readonly rules: ReadonlyMap<string, Revisioned<RuleDocument>>;
  readonly policiesRevision: number;
  readonly rulesRevision: number;
};

/**
 * The number of grants that are always kept, ended or not. So for some time an action under an ended grant learns
 * that the grant has ended, and not that it does not exist.
 */
const NO_BURDEN = 1_000;

export function noneIssued(): Grants {
  return { byId: new Map(), ofAgent: new Map(), forgetAt: NO_BURDEN, made: new Map(), units: 0 };
}

/**
 * Returns the fields that make two requests for a grant the same. A repeated request gets the first result, although
 * its id and time differ.
 */
export function askedFor({ agentId, context, ttlMs }: GrantDocument): object {
  return { event: 'grant.issued', agentId, context, ttlMs };
}

/**
 * True if the tenant has too many grants, or if they would be too large. In the second case ended grants are
 * forgotten early.
 */
export function areTooMany(
  current: CurrentDocuments & { opened: OpenedTenant | null; issued: Grants },
  record: Issued,
): boolean {
  const { issued } = current;
  const atMs = Date.parse(record.change.at);
  const most = quotaOf(current, 'grants');
  if (issued.byId.size >= most) {
    let alive = 0;
    for (const one of issued.byId.values()) if (!isOver(one, atMs)) alive += 1;
    if (alive >= most) return true;
  }
  const one = madeOf(current, record, 0);
  if (one === null || !isTooMuch(issued, one)) return false;
  forgetThoseOver(issued, atMs);
  return isTooMuch(issued, one);
}

function isTooMuch({ made, units }: Grants, one: Grant): boolean {
  const more = partsOf(one).reduce((sum, part) => sum + (made.has(part) ? 0 : unitsOf(part.document)), 0);
  return units + unitsOf(one.document) + more > CAPS.controlUnits;
}

/** Returns each document once, even if several rules share it. */
function partsOf({ agent, rules }: Grant): readonly Revisioned<object>[] {
  return [...new Set<Revisioned<object>>([agent, ...rules.map(({ rule }) => rule)])];
}

/**
 * Checks that nothing on which the grant depends was changed since. The writer has already checked that the named
 * rules are all rules that match.
 */
export function validateIssue(
  current: CurrentDocuments,
  { grant, change }: Issued,
  revision: number,
): 'NOT_FOUND' | 'REVISION_CONFLICT' | 'GRANT_UNFIT' | null {
  const agent = current.agents.get(grant.agentId);
  if (agent === undefined) return 'NOT_FOUND';
  const changedAt = Math.max(agent.revision, current.rulesRevision, current.policiesRevision);
  if (changedAt > grant.foundAt) return 'REVISION_CONFLICT';
  const lastsMs = Date.parse(grant.expiresAt) - Date.parse(change.at);
  const lasts = lastsMs > 0 && lastsMs <= grant.ttlMs && grant.ttlMs <= CAPS.grantTtlMs;
  const named = [...grant.rules, ...grant.openRules];
  const areThere = named.length > 0 && named.every((one) => isThere(current, one));
  return lasts && areThere && grant.foundAt < revision ? null : 'GRANT_UNFIT';
}

/** True if the current rule leads to exactly this policy version, and the policy is not archived. */
function isThere({ rules, policies }: CurrentDocuments, { rule, policy, mode }: MatchedRule): boolean {
  const document = rules.get(rule)?.document;
  if (document === undefined || document.mode !== mode || mode === 'shadow') return false;
  const meant = policyNamed(document.policy);
  const { versions = [], isArchived = true } = policies.get(meant.id) ?? {};
  const version = meant.version ?? versions.length;
  return !isArchived && versions[version - 1] !== undefined && policy === `${meant.id}@${version}`;
}

export function issue(
  current: CurrentDocuments & { issued: Grants },
  record: Issued,
  revision: number,
): void {
  const { issued } = current;
  const { grant, change } = record;
  if (issued.byId.size >= issued.forgetAt) forgetThoseOver(issued, Date.parse(change.at));
  const one = madeOf(current, record, revision);
  if (one === null) return;
  forget(issued, grant.id);
  hold(issued, one);
}

/** Adds a grant. Its id must not be in use. */
export function hold(issued: Grants, one: Grant): void {
  const { id, agentId } = one.document;
  issued.byId.set(id, one);
  issued.units += unitsOf(one.document);
  for (const part of partsOf(one)) {
    const users = issued.made.get(part) ?? 0;
    if (users === 0) issued.units += unitsOf(part.document);
    issued.made.set(part, users + 1);
  }
  const own = issued.ofAgent.get(agentId) ?? new Set();
  issued.ofAgent.set(agentId, own.add(id));
}

/**
 * Returns the grant with its sources: the agent, the rules and the policy versions. Null if the agent does not exist.
 */
function madeOf(
  { agents, rules }: CurrentDocuments,
  { grant, change }: Issued,
  revision: number,
): Grant | null {
  const agent = agents.get(grant.agentId);
  if (agent === undefined) return null;
  return {
    revision,
    changeId: change.id,
    document: grant,
    issuedBy: change.by,
    issuedAt: change.at,
    startsAtMs: grant.startsAt === undefined ? 0 : Date.parse(grant.startsAt),
    endsAtMs: Date.parse(grant.expiresAt),
    revokedAt: null,
    agent,
    rules: [...grant.rules, ...grant.openRules].flatMap((named) => {
      const rule = rules.get(named.rule);
      const { version } = policyNamed(named.policy);
      return rule === undefined || version === null ? [] : [{ rule, version }];
    }),
  };
}

function forget(issued: Grants, id: string): void {
  const one = issued.byId.get(id);
  if (one === undefined) return;
  issued.byId.delete(id);
  issued.units -= unitsOf(one.document);
  for (const part of partsOf(one)) {
    const users = (issued.made.get(part) ?? 0) - 1;
    if (users > 0) issued.made.set(part, users);
    else {
      issued.made.delete(part);
      issued.units -= unitsOf(part.document);
    }
  }
  const { agentId } = one.document;
  const own = issued.ofAgent.get(agentId);
  own?.delete(id);
  if (own?.size === 0) issued.ofAgent.delete(agentId);
}

export function revoke({ byId }: Grants, { grantId, change }: Revoked, revision: number): void {
  const known = byId.get(grantId);
  if (known !== undefined) byId.set(grantId, { ...known, revision, revokedAt: known.revokedAt ?? change.at });
}

/** Ends the grants of an agent that is registered again. */
export function endWith(issued: Grants, agentId: string): void {
  for (const id of [...(issued.ofAgent.get(agentId) ?? [])]) forget(issued, id);
}

function isOver({ endsAtMs, revokedAt }: Grant, atMs: number): boolean {
  return revokedAt !== null || endsAtMs <= atMs;
}

/**
 * Forgets ended grants. The next check comes when the number of grants has doubled, so each grant is checked only a
 * few times.
 */
function forgetThoseOver(issued: Grants, atMs: number): void {
  for (const [id, one] of [...issued.byId]) {
    if (!isOver(one, atMs)) continue;
    forget(issued, id);
  }
  issued.forgetAt = Math.max(NO_BURDEN, 2 * issued.byId.size);
}
