/**
 * The fold of the control topic: which agents, policies, rules and issued mandates there are. Every reader folds the same records in the same
 * order and so finds the same, also of a change that came too late: two who changed the same thing at once both wrote a
 * record, and the first on the log counts.
 */
import {
  type AgentDocument,
  type ApiKeyRecord,
  CAPS,
  type ControlRecord,
  type Json,
  type PolicyDocument,
  policyNamed,
  type RuleDocument,
} from '@mandate/schemas';
import { digestOf } from '../digest.ts';
import {
  areTooMany,
  askedFor,
  endWith,
  type IssuedMandate,
  type IssuedMandates,
  issue,
  noneIssued,
  objectionToIssue,
  revoke,
} from './issued-mandates.ts';
import type { Kept, PolicyHistory } from './kept.ts';

export type { Kept } from './kept.ts';

/** Of an agent: it lets in for as long as that is registered. */
type AgentKey = { readonly agentId: string; readonly key: ApiKeyRecord };

export type TenantControl = {
  /** Of the last change that took effect. */
  readonly revision: number;
  readonly agents: ReadonlyMap<string, Kept<AgentDocument>>;
  /** By their public ids. */
  readonly keys: ReadonlyMap<string, Kept<AgentKey>>;
  readonly policies: ReadonlyMap<string, PolicyHistory>;
  readonly rules: ReadonlyMap<string, Kept<RuleDocument>>;
  readonly policiesRevision: number;
  /** Of the last change of any rule: what another order of them expects. */
  readonly rulesRevision: number;
  /** Of all documents together, as JSON: see CAPS.controlUnits. */
  readonly units: number;
  /** By their ids. Those that have ended are there for a while. */
  readonly issued: { readonly byId: ReadonlyMap<string, IssuedMandate> };
};

export type ControlFold = {
  /**
   * A record whose change was applied before changes nothing, and tells what became of it then.
   *
   * @param revision the record's place on the log, counted from 1
   */
  apply(record: ControlRecord, revision: number): Changed;
  /** As it stands; what is applied later shows in it. */
  tenant(name: string): TenantControl;
  /** Of every tenant, by their public ids. */
  key(id: string): ApiKeyRecord | undefined;
};

/** Why a change never took effect. */
type ChangeRefusal =
  | 'REVISION_CONFLICT'
  /** Another change has that id. */
  | 'ID_REUSED'
  | 'NOT_FOUND'
  | 'POLICY_IN_USE'
  | 'RULES_DIFFER'
  /** The tenant has as many as it may: CAPS. Every process holds them all. */
  | 'TOO_MANY'
  /** It is not of this tenant and this agent alone, does more than publish, or there is one of its id. */
  | 'KEY_UNFIT'
  /** It lasts too long or not at all, or names what is not so. */
  | 'MANDATE_UNFIT'
  | 'PARENT_UNKNOWN'
  | 'PARENT_IS_BELOW'
  | 'PARENT_TOO_DEEP';

export type Changed =
  /** `revision`: of what was changed, from here on. */
  | { ok: true; revision: number }
  /** `revision`: of what was to be changed, as it stands; 0 where there is none. */
  | { ok: false; refusal: ChangeRefusal; revision: number };

type Tenant = {
  revision: number;
  readonly agents: Map<string, Kept<AgentDocument>>;
  /** By the id of an agent, registered or not, who names it as their parent. */
  readonly childrenOf: Map<string, Set<string>>;
  readonly keys: Map<string, Kept<AgentKey>>;
  /** By the id of an agent. */
  readonly keysOf: Map<string, Set<string>>;
  readonly policies: Map<string, PolicyHistory>;
  readonly versions: Map<string, Kept<PolicyDocument>[]>;
  readonly rules: Map<string, Kept<RuleDocument>>;
  /** By the id of a policy, which rules name it. */
  readonly rulesOf: Map<string, Set<string>>;
  policiesRevision: number;
  rulesRevision: number;
  units: number;
  readonly issued: IssuedMandates;
};

/** By the id of a change, what it was and what became of it; the oldest first. */
type Became = Map<string, { digest: string; changed: Changed }>;

/** Of so many changes of a tenant it is remembered what became of them. */
const REMEMBERED = 10_000;

export function foldControl(): ControlFold {
  const tenants = new Map<string, { control: Tenant; became: Became }>();
  /** Public ids are drawn of 62^12; should two tenants have the same one, the first has it for as long as it keeps it. */
  const tenantOfKey = new Map<string, string>();
  const none = newTenant();
  const key = (id: string) => tenants.get(tenantOfKey.get(id) ?? '')?.control.keys.get(id)?.document.key;
  return {
    apply(record, revision) {
      const { tenant } = record.change;
      const known = tenants.get(tenant) ?? { control: newTenant(), became: new Map() };
      tenants.set(tenant, known);
      const changed = applyOnce(known, record, revision);
      if (changed.ok && record.event === 'key.issued' && key(record.key.id) === undefined)
        tenantOfKey.set(record.key.id, tenant);
      return changed;
    },
    tenant: (name) => tenants.get(name)?.control ?? none,
    key,
  };
}

/** A writer that lost the answer of the log writes again, under the same id, as does a client that lost ours. */
function applyOnce(
  { control, became }: { control: Tenant; became: Became },
  record: ControlRecord,
  revision: number,
): Changed {
  const { id } = record.change;
  const digest = digestOfChange(record);
  const known = became.get(id);
  if (known?.digest === digest) return known.changed;
  if (known !== undefined) return { ok: false, refusal: 'ID_REUSED', revision: revisionOf(control, record) };
  const changed = applyTo(control, record, revision);
  became.set(id, { digest, changed });
  const [oldest] = became.keys();
  if (became.size > REMEMBERED && oldest !== undefined) became.delete(oldest);
  return changed;
}

/** Of what it changes, and what it expects: who repeats a change may say anew why. */
function digestOfChange({ change, ...what }: ControlRecord): string {
  const asked = what.event === 'mandate.issued' ? askedFor(what.mandate) : what;
  return digestOf([change.expects ?? null, asked as Json]);
}

function applyTo(control: Tenant, record: ControlRecord, revision: number): Changed {
  const { expects } = record.change;
  const current = revisionOf(control, record);
  const isLate = expects !== undefined && expects !== current;
  const grows = growth(control, record);
  const refusal = isLate
    ? 'REVISION_CONFLICT'
    : isOneTooMany(control, record, current) || isTooMuch(control, grows)
      ? 'TOO_MANY'
      : objectionTo(control, record, current, revision);
  if (refusal !== null) return { ok: false, refusal, revision: current };
  change(control, record, revision);
  control.revision = revision;
  control.units += grows;
  return { ok: true, revision };
}

function newTenant(): Tenant {
  return {
    revision: 0,
    agents: new Map(),
    childrenOf: new Map(),
    keys: new Map(),
    keysOf: new Map(),
    policies: new Map(),
    versions: new Map(),
    rules: new Map(),
    rulesOf: new Map(),
    policiesRevision: 0,
    rulesRevision: 0,
    units: 0,
    issued: noneIssued(),
  };
}

/** Of what the record changes; 0 where it is not there. */
function revisionOf(control: TenantControl, record: ControlRecord): number {
  switch (record.event) {
    case 'agent.put':
      return control.agents.get(record.agent.id)?.revision ?? 0;
    case 'agent.retired':
      return control.agents.get(record.agentId)?.revision ?? 0;
    case 'key.issued':
      return control.keys.get(record.key.id)?.revision ?? 0;
    case 'key.revoked':
      return control.keys.get(record.keyId)?.revision ?? 0;
    case 'policy.published':
      return control.policies.get(record.policy.id)?.revision ?? 0;
    case 'policy.archived':
      return control.policies.get(record.policyId)?.revision ?? 0;
    case 'rule.put':
      return control.rules.get(record.rule.id)?.revision ?? 0;
    case 'rule.removed':
      return control.rules.get(record.ruleId)?.revision ?? 0;
    case 'rules.reordered':
      return control.rulesRevision;
    case 'mandate.issued':
      return control.issued.byId.get(record.mandate.id)?.revision ?? 0;
    case 'mandate.revoked':
      return control.issued.byId.get(record.mandateId)?.revision ?? 0;
  }
}

function isOneTooMany(control: Tenant, record: ControlRecord, current: number): boolean {
  const isNew = current === 0;
  switch (record.event) {
    case 'agent.put':
      return isNew && control.agents.size >= CAPS.agents;
    case 'key.issued':
      return (control.keysOf.get(record.agentId)?.size ?? 0) >= CAPS.keysPerAgent;
    case 'policy.published': {
      const { length } = control.versions.get(record.policy.id) ?? [];
      return length >= CAPS.versionsPerPolicy || (isNew && control.policies.size >= CAPS.policies);
    }
    case 'rule.put':
      return isNew && control.rules.size >= CAPS.rules;
    case 'mandate.issued':
      return areTooMany(control.issued, record);
    default:
      return false;
  }
}

function isTooMuch({ units }: Tenant, grows: number): boolean {
  return grows > 0 && units + grows > CAPS.controlUnits;
}

/** Of all documents of a tenant, by the change, in UTF-16 units. */
function growth({ agents, rules }: TenantControl, record: ControlRecord): number {
  switch (record.event) {
    case 'agent.put':
      return unitsOf(record.agent) - unitsOf(agents.get(record.agent.id)?.document);
    case 'agent.retired':
      return -unitsOf(agents.get(record.agentId)?.document);
    case 'policy.published':
      return unitsOf(record.policy);
    case 'rule.put':
      return unitsOf(record.rule) - unitsOf(rules.get(record.rule.id)?.document);
    case 'rule.removed':
      return -unitsOf(rules.get(record.ruleId)?.document);
    case 'rules.reordered':
      return record.ruleIds.reduce((sum, id, priority) => {
        const before = rules.get(id)?.document.priority ?? priority;
        return sum + `${priority}`.length - `${before}`.length;
      }, 0);
    default:
      return 0;
  }
}

function unitsOf(document: object | undefined): number {
  return document === undefined ? 0 : JSON.stringify(document).length;
}

function objectionTo(
  control: Tenant,
  record: ControlRecord,
  current: number,
  revision: number,
): ChangeRefusal | null {
  switch (record.event) {
    case 'agent.put':
      return objectionToParent(control, record.agent);
    case 'agent.retired':
    case 'rule.removed':
    case 'mandate.revoked':
      return current === 0 ? 'NOT_FOUND' : null;
    case 'key.issued': {
      const { agentId, key, change } = record;
      if (!control.agents.has(agentId)) return 'NOT_FOUND';
      const isFit = current === 0 && key.tenant === change.tenant && key.revokedAt === null;
      // Whoever may write here must not make themselves an operator.
      const publishes = key.scopes.length === 1 && key.scopes[0] === 'publish';
      return publishes && isFit && key.agents.length === 1 && key.agents[0] === agentId ? null : 'KEY_UNFIT';
    }
    case 'key.revoked':
      return control.keys.get(record.keyId)?.document.agentId === record.agentId ? null : 'NOT_FOUND';
    case 'policy.archived':
      if (current === 0) return 'NOT_FOUND';
      return !record.forced && isUsed(control, record.policyId) ? 'POLICY_IN_USE' : null;
    case 'rules.reordered': {
      const named = new Set(record.ruleIds);
      const areAll = named.size === control.rules.size && record.ruleIds.length === named.size;
      return areAll && record.ruleIds.every((id) => control.rules.has(id)) ? null : 'RULES_DIFFER';
    }
    case 'mandate.issued':
      return objectionToIssue(control, record, revision);
    default:
      return null;
  }
}

/** A sub-agent's parent is registered, and is not below it; and no chain becomes too long, on whichever end it grows. */
function objectionToParent(control: Tenant, { id, parent }: AgentDocument): ChangeRefusal | null {
  const { agents } = control;
  if (parent === undefined) return null;
  if (!agents.has(parent) && parent !== id) return 'PARENT_UNKNOWN';
  let above: string | undefined = parent;
  let height = 0;
  for (; above !== undefined; height += 1) {
    if (above === id) return 'PARENT_IS_BELOW';
    if (height === CAPS.parents) return 'PARENT_TOO_DEEP';
    above = agents.get(above)?.document.parent;
  }
  if (agents.get(id)?.document.parent === parent) return null;
  return height + depthBelow(control, id) > CAPS.parents ? 'PARENT_TOO_DEEP' : null;
}

function depthBelow({ childrenOf }: Tenant, id: string): number {
  let below = [id];
  for (let depth = 0; ; depth += 1) {
    below = below.flatMap((one) => [...(childrenOf.get(one) ?? [])]);
    if (below.length === 0) return depth;
  }
}

function isUsed({ rulesOf }: Tenant, policyId: string): boolean {
  return (rulesOf.get(policyId)?.size ?? 0) > 0;
}

function usersOf({ rulesOf }: Tenant, policy: string): Set<string> {
  return idsUnder(rulesOf, policyNamed(policy).id);
}

function idsUnder(all: Map<string, Set<string>>, name: string): Set<string> {
  const ids = all.get(name) ?? new Set();
  all.set(name, ids);
  return ids;
}

function forgetUse(control: Tenant, ruleId: string): void {
  const before = control.rules.get(ruleId);
  if (before !== undefined) usersOf(control, before.document.policy).delete(ruleId);
}

function forgetParent({ agents, childrenOf }: Tenant, id: string): void {
  const parent = agents.get(id)?.document.parent;
  if (parent !== undefined) childrenOf.get(parent)?.delete(id);
}

function change(control: Tenant, record: ControlRecord, revision: number): void {
  const { agents, policies, rules } = control;
  switch (record.event) {
    case 'agent.put': {
      const { agent: document } = record;
      forgetParent(control, document.id);
      agents.set(document.id, { revision, document });
      if (document.parent !== undefined) idsUnder(control.childrenOf, document.parent).add(document.id);
      return;
    }
    case 'agent.retired':
      forgetParent(control, record.agentId);
      agents.delete(record.agentId);
      for (const id of control.keysOf.get(record.agentId) ?? []) control.keys.delete(id);
      control.keysOf.delete(record.agentId);
      endWith(control.issued, record.agentId);
      return;
    case 'key.issued':
      control.keys.set(record.key.id, { revision, document: { agentId: record.agentId, key: record.key } });
      idsUnder(control.keysOf, record.agentId).add(record.key.id);
      return;
    case 'key.revoked':
      control.keys.delete(record.keyId);
      control.keysOf.get(record.agentId)?.delete(record.keyId);
      return;
    case 'policy.published': {
      const { policy: document } = record;
      const versions = control.versions.get(document.id) ?? [];
      control.versions.set(document.id, versions);
      // Added to, and never copied: else a policy that is published often takes ever longer.
      versions.push({ revision, document });
      policies.set(document.id, { revision, versions, isArchived: false });
      control.policiesRevision = revision;
      return;
    }
    case 'policy.archived': {
      const { versions = [] } = policies.get(record.policyId) ?? {};
      policies.set(record.policyId, { revision, versions, isArchived: true });
      control.policiesRevision = revision;
      return;
    }
    case 'rule.put':
      forgetUse(control, record.rule.id);
      rules.set(record.rule.id, { revision, document: record.rule });
      usersOf(control, record.rule.policy).add(record.rule.id);
      control.rulesRevision = revision;
      return;
    case 'rule.removed':
      forgetUse(control, record.ruleId);
      rules.delete(record.ruleId);
      control.rulesRevision = revision;
      return;
    case 'rules.reordered':
      for (const [priority, id] of record.ruleIds.entries()) {
        const document = rules.get(id)?.document;
        if (document !== undefined) rules.set(id, { revision, document: { ...document, priority } });
      }
      control.rulesRevision = revision;
      return;
    case 'mandate.issued':
      issue(control, record, revision);
      return;
    case 'mandate.revoked':
      revoke(control.issued, record, revision);
  }
}
