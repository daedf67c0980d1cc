/**
 * The fold of the control topic: which agents, policies and rules there are. Every reader folds the same records in the same
 * order and so finds the same, also of a change that came too late: two who changed the same thing at once both wrote a
 * record, and the first on the log counts.
 */
import type { AgentDocument, ControlRecord, PolicyDocument, RuleDocument } from '@mandate/schemas';

/** `revision`: the place on the log, counted from 1, of the change that made it what it is. */
export type Kept<T> = { readonly revision: number; readonly document: T };

type PolicyHistory = {
  readonly revision: number;
  /** The first is version 1. */
  readonly versions: readonly Kept<PolicyDocument>[];
  readonly isArchived: boolean;
};

export type TenantControl = {
  /** Of the last change that took effect. */
  readonly revision: number;
  readonly agents: ReadonlyMap<string, Kept<AgentDocument>>;
  readonly policies: ReadonlyMap<string, PolicyHistory>;
  readonly rules: ReadonlyMap<string, Kept<RuleDocument>>;
  readonly policiesRevision: number;
  /** Of the last change of any rule: what another order of them expects. */
  readonly rulesRevision: number;
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
};

/** Why a change never took effect. */
type ChangeRefusal =
  | 'REVISION_CONFLICT'
  | 'NOT_FOUND'
  | 'POLICY_IN_USE'
  | 'RULES_DIFFER'
  | 'PARENT_UNKNOWN'
  | 'PARENT_IS_BELOW';

export type Changed =
  /** `revision`: of what was changed, from here on. */
  | { ok: true; revision: number }
  /** `revision`: of what was to be changed, as it stands; 0 where there is none. */
  | { ok: false; refusal: ChangeRefusal; revision: number };

type Tenant = {
  revision: number;
  readonly agents: Map<string, Kept<AgentDocument>>;
  readonly policies: Map<string, PolicyHistory>;
  readonly rules: Map<string, Kept<RuleDocument>>;
  policiesRevision: number;
  rulesRevision: number;
};

/** By the id of a change, what became of it; the oldest first. */
type Became = Map<string, Changed>;

/** Of so many changes of a tenant it is remembered what became of them. */
const REMEMBERED = 10_000;

export function foldControl(): ControlFold {
  const tenants = new Map<string, { control: Tenant; became: Became }>();
  const none = newTenant();
  return {
    apply(record, revision) {
      const { tenant } = record.change;
      const known = tenants.get(tenant) ?? { control: newTenant(), became: new Map() };
      tenants.set(tenant, known);
      return applyOnce(known, record, revision);
    },
    tenant: (name) => tenants.get(name)?.control ?? none,
  };
}

/** A writer that lost the answer of the log writes again, under the same id, as does a client that lost ours. */
function applyOnce(
  { control, became }: { control: Tenant; became: Became },
  record: ControlRecord,
  revision: number,
): Changed {
  const { id } = record.change;
  const known = became.get(id);
  if (known !== undefined) return known;
  const changed = applyTo(control, record, revision);
  became.set(id, changed);
  const [oldest] = became.keys();
  if (became.size > REMEMBERED && oldest !== undefined) became.delete(oldest);
  return changed;
}

function applyTo(control: Tenant, record: ControlRecord, revision: number): Changed {
  const { expects } = record.change;
  const current = revisionOf(control, record);
  const isLate = expects !== undefined && expects !== current;
  const refusal = isLate ? 'REVISION_CONFLICT' : objectionTo(control, record, current);
  if (refusal !== null) return { ok: false, refusal, revision: current };
  change(control, record, revision);
  control.revision = revision;
  return { ok: true, revision };
}

function newTenant(): Tenant {
  return {
    revision: 0,
    agents: new Map(),
    policies: new Map(),
    rules: new Map(),
    policiesRevision: 0,
    rulesRevision: 0,
  };
}

/** Of what the record changes; 0 where it is not there. */
function revisionOf(control: TenantControl, record: ControlRecord): number {
  switch (record.event) {
    case 'agent.put':
      return control.agents.get(record.agent.id)?.revision ?? 0;
    case 'agent.retired':
      return control.agents.get(record.agentId)?.revision ?? 0;
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
  }
}

function objectionTo(control: TenantControl, record: ControlRecord, current: number): ChangeRefusal | null {
  switch (record.event) {
    case 'agent.put':
      return objectionToParent(control, record.agent);
    case 'agent.retired':
    case 'rule.removed':
      return current === 0 ? 'NOT_FOUND' : null;
    case 'policy.archived':
      if (current === 0) return 'NOT_FOUND';
      return !record.forced && isUsed(control, record.policyId) ? 'POLICY_IN_USE' : null;
    case 'rules.reordered': {
      const named = new Set(record.ruleIds);
      const areAll = named.size === control.rules.size && record.ruleIds.length === named.size;
      return areAll && record.ruleIds.every((id) => control.rules.has(id)) ? null : 'RULES_DIFFER';
    }
    default:
      return null;
  }
}

/** A sub-agent's parent is registered, and is not below it. */
function objectionToParent({ agents }: TenantControl, { id, parent }: AgentDocument): ChangeRefusal | null {
  if (parent === undefined) return null;
  if (!agents.has(parent) && parent !== id) return 'PARENT_UNKNOWN';
  for (let above: string | undefined = parent; above !== undefined; ) {
    if (above === id) return 'PARENT_IS_BELOW';
    above = agents.get(above)?.document.parent;
  }
  return null;
}

function isUsed({ rules }: TenantControl, policyId: string): boolean {
  return [...rules.values()].some(({ document }) => document.policy.split('@')[0] === policyId);
}

function change(control: Tenant, record: ControlRecord, revision: number): void {
  const { agents, policies, rules } = control;
  switch (record.event) {
    case 'agent.put':
      agents.set(record.agent.id, { revision, document: record.agent });
      return;
    case 'agent.retired':
      agents.delete(record.agentId);
      return;
    case 'policy.published': {
      const { policy: document } = record;
      const versions = [...(policies.get(document.id)?.versions ?? []), { revision, document }];
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
      rules.set(record.rule.id, { revision, document: record.rule });
      control.rulesRevision = revision;
      return;
    case 'rule.removed':
      rules.delete(record.ruleId);
      control.rulesRevision = revision;
      return;
    case 'rules.reordered':
      for (const [priority, id] of record.ruleIds.entries()) {
        const document = rules.get(id)?.document;
        if (document !== undefined) rules.set(id, { revision, document: { ...document, priority } });
      }
      control.rulesRevision = revision;
  }
}
