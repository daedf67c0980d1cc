/** The state of one tenant, from the records of the control topic. */
import type {
  AgentDocument,
  ApiKeyRecord,
  ControlRecord,
  PolicyDocument,
  Role,
  RuleDocument,
} from '@mandate/schemas';
import { type Grant, type Grants, noneIssued } from './grants.ts';
import { idOf, type KeptManifest, type ManifestHistory } from './manifests/manifest-history.ts';
import type { Departures, OpenedTenant, PolicyHistory, Revisioned } from './revisioned.ts';

/** The API key of an agent. The key is accepted while the agent is registered. */
export type AgentKey = { readonly agentId: string; readonly key: ApiKeyRecord };

/** An agent that may do nothing, by any authority, until it is registered again. */
export type RetiredAgent = {
  readonly at: string;
  /**
   * The former parent. The retired agent still counts as a descendant of this parent until it is registered again.
   */
  readonly parent?: string;
};

/** The API key of a person who works with the tenant. */
type RoleKey = { readonly role: Role; readonly key: ApiKeyRecord; readonly changeId: string };

/** The API key of an agent or person that was revoked, or that ended with its agent. `revokedAt` says when. */
export type EndedKey = { readonly key: ApiKeyRecord };

export type TenantControl = {
  /** Null if the tenant has no document. Such a tenant is open and has no tenant limits. */
  readonly opened: OpenedTenant | null;
  /** The revision of the last applied change. */
  readonly revision: number;
  readonly agents: ReadonlyMap<string, Revisioned<AgentDocument>>;
  readonly retired: ReadonlyMap<string, Revisioned<RetiredAgent>>;
  /** Former ancestors of agents, see former-ancestors.ts. */
  readonly departures: ReadonlyMap<string, ReadonlyMap<string, number>>;
  /** Keys of agents by public id. */
  readonly keys: ReadonlyMap<string, Revisioned<AgentKey>>;
  /** Keys of people by public id. */
  readonly roleKeys: ReadonlyMap<string, Revisioned<RoleKey>>;
  readonly policies: ReadonlyMap<string, PolicyHistory>;
  readonly rules: ReadonlyMap<string, Revisioned<RuleDocument>>;
  /** Agent manifests by id, removed ones included. */
  readonly manifests: ReadonlyMap<string, ManifestHistory>;
  readonly policiesRevision: number;
  /**
   * The revision of the last change of any rule. A request that changes the order of the rules must state this
   * revision.
   */
  readonly rulesRevision: number;
  /** The size of all documents together as JSON, in UTF-16 units: see CAPS.controlUnits. */
  readonly units: number;
  /** Grants by id. Ended grants are kept for a while. */
  readonly issued: {
    readonly byId: ReadonlyMap<string, Grant>;
    /**
     * The size of the grants and of the documents that they use, in UTF-16 units. These documents may no longer be
     * current. CAPS.controlUnits limits this size too.
     */
    readonly units: number;
  };
};

/** The same state in a mutable form. Only the code that applies records changes it. */
export type Tenant = {
  opened: OpenedTenant | null;
  revision: number;
  readonly agents: Map<string, Revisioned<AgentDocument>>;
  /** Retired agents, in the order in which they were retired. */
  readonly retired: Map<string, Revisioned<RetiredAgent>>;
  /** The sub-agents by the id of their parent. The parent need not be registered. */
  readonly childrenOf: Map<string, Set<string>>;
  readonly departures: Departures;
  /** The number of former ancestors of all agents together. */
  departed: number;
  readonly keys: Map<string, Revisioned<AgentKey>>;
  /** The public ids of keys, by agent id. */
  readonly keysOf: Map<string, Set<string>>;
  readonly roleKeys: Map<string, Revisioned<RoleKey>>;
  /** Keys that are no longer accepted, the oldest first. They are kept so that their owners are still known. */
  readonly endedKeys: Map<string, Revisioned<EndedKey>>;
  readonly policies: Map<string, PolicyHistory>;
  readonly versions: Map<string, Revisioned<PolicyDocument>[]>;
  readonly rules: Map<string, Revisioned<RuleDocument>>;
  /** The ids of rules, by the id of the policy that they name. */
  readonly rulesOf: Map<string, Set<string>>;
  readonly manifests: Map<string, KeptManifest>;
  policiesRevision: number;
  rulesRevision: number;
  units: number;
  readonly issued: Grants;
};

export function newTenant(): Tenant {
  return {
    opened: null,
    revision: 0,
    agents: new Map(),
    retired: new Map(),
    childrenOf: new Map(),
    departures: new Map(),
    departed: 0,
    keys: new Map(),
    keysOf: new Map(),
    roleKeys: new Map(),
    endedKeys: new Map(),
    policies: new Map(),
    versions: new Map(),
    rules: new Map(),
    rulesOf: new Map(),
    manifests: new Map(),
    policiesRevision: 0,
    rulesRevision: 0,
    units: 0,
    issued: noneIssued(),
  };
}

/** Returns the current revision of the document that the record changes. 0 if the document does not exist. */
export function revisionOf(control: TenantControl, record: ControlRecord): number {
  switch (record.event) {
    case 'agent.put':
      return control.agents.get(record.agent.id)?.revision ?? 0;
    case 'agent.retired':
      return control.agents.get(record.agentId)?.revision ?? 0;
    case 'key.issued':
      return control.keys.get(record.key.id)?.revision ?? 0;
    case 'key.revoked':
      return control.keys.get(record.keyId)?.revision ?? 0;
    case 'role.granted':
      return control.roleKeys.get(record.key.id)?.revision ?? 0;
    case 'role.revoked':
      return control.roleKeys.get(record.keyId)?.revision ?? 0;
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
    case 'grant.issued':
      return control.issued.byId.get(record.grant.id)?.revision ?? 0;
    case 'grant.revoked':
      return control.issued.byId.get(record.grantId)?.revision ?? 0;
    case 'manifest.published':
    case 'manifest.removed':
      return control.manifests.get(idOf(record))?.revision ?? 0;
    case 'tenant.put':
    case 'tenant.closed':
      return control.opened?.revision ?? 0;
  }
}
