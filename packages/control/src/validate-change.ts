/** Decides why a change is refused although it expected the current revision. Every reader decides the same. */
import {
  AGENT_SCOPES,
  type AgentDocument,
  type ApiKeyRecord,
  type ApiScope,
  CAPS,
  type ControlRecord,
  ROLES,
} from '@mandate/schemas';
import { depthBelow } from './depth-below.ts';
import { departuresAfter, departuresGrow } from './former-ancestors.ts';
import { areTooMany, validateIssue } from './grants.ts';
import { isManifestTooMany } from './manifests/manifest-quotas.ts';
import { type ManifestRefusal, validateManifest } from './manifests/validate-manifest.ts';
import { quotaOf } from './quotas.ts';
import type { Tenant } from './tenant-control.ts';

export type ChangeRefusal =
  | 'REVISION_CONFLICT'
  /** Another change has this id. */
  | 'ID_REUSED'
  /** The tenant is closed. The only possible changes are to open the tenant again and to revoke its keys. */
  | 'TENANT_CLOSED'
  /** The document names another tenant than the change. */
  | 'ID_DIFFERS'
  | 'RULES_DIFFER'
  /**
   * The tenant already has the largest allowed number. CAPS sets this number, because every process keeps all
   * documents in memory. The tenant's quotas may lower it.
   */
  | 'TOO_MANY'
  /**
   * The key does not belong to exactly this tenant and this agent, its scopes do not fit an agent or its role, or its
   * id is already used.
   */
  | 'KEY_UNFIT'
  /** The change was requested with an admin key that was revoked before. */
  | 'ADMIN_REVOKED'
  /** Admins may not revoke the key that they use. Otherwise it might be the last key that can issue other keys. */
  | 'OWN_KEY'
  /** The grant has no valid duration, or names rules or policies that do not apply. */
  | 'GRANT_UNFIT'
  | ManifestRefusal
  | 'PARENT_UNKNOWN'
  | 'PARENT_IS_BELOW';

/**
 * Returns the reason for refusing the change. Null if the change is valid.
 *
 * @param current the current revision of the changed document; 0 if it does not exist
 * @param revision the revision of the change itself
 * @param singles the changes of single documents that the change consists of
 */
export function validateChange(
  control: Tenant,
  record: ControlRecord,
  current: number,
  revision: number,
  singles: readonly ControlRecord[],
): ChangeRefusal | null {
  switch (record.event) {
    case 'manifest.published':
    case 'manifest.removed':
      return validateManifest(control, record, singles, revision);
    case 'agent.put':
      return validateParent(control, record.agent) ?? validateMove(control, record.agent, revision);
    case 'agent.retired':
    case 'rule.removed':
    case 'grant.revoked':
      return current === 0 ? 'NOT_FOUND' : null;
    case 'key.issued': {
      const { agentId, key, change } = record;
      if (!control.agents.has(agentId)) return 'NOT_FOUND';
      const isFit = isNewKey(control, key) && key.tenant === change.tenant;
      // The key must name exactly this agent. Otherwise a person who may create agent keys could create a key for all
      // agents.
      return isOfAgent(key.scopes) && isFit && key.agents.length === 1 && key.agents[0] === agentId
        ? null
        : 'KEY_UNFIT';
    }
    case 'key.revoked':
      return control.keys.get(record.keyId)?.document.agentId === record.agentId ? null : 'NOT_FOUND';
    case 'role.granted':
      if (!isByAdmin(control, record)) return 'ADMIN_REVOKED';
      return isFitForRole(control, record) ? null : 'KEY_UNFIT';
    case 'role.revoked':
      if (!isByAdmin(control, record)) return 'ADMIN_REVOKED';
      if (record.byKey === record.keyId) return 'OWN_KEY';
      return current === 0 ? 'NOT_FOUND' : null;
    case 'policy.archived':
      if (current === 0) return 'NOT_FOUND';
      return !record.forced && isUsed(control, record.policyId) ? 'POLICY_IN_USE' : null;
    case 'rules.reordered': {
      const named = new Set(record.ruleIds);
      const areAll = named.size === control.rules.size && record.ruleIds.length === named.size;
      return areAll && record.ruleIds.every((id) => control.rules.has(id)) ? null : 'RULES_DIFFER';
    }
    case 'grant.issued':
      return validateIssue(control, record, revision);
    case 'tenant.put':
      return record.tenant.id === record.change.tenant ? null : 'ID_DIFFERS';
    case 'tenant.closed':
      return current === 0 ? 'NOT_FOUND' : null;
    default:
      return null;
  }
}

/**
 * True if an agent may have these scopes: publish, and usually report. Report is left out if another program settles
 * the agent's calls.
 */
function isOfAgent(scopes: readonly ApiScope[]): boolean {
  return AGENT_SCOPES.some((allowed) => JSON.stringify(scopes) === JSON.stringify(allowed));
}

type Granted = Extract<ControlRecord, { event: 'role.granted' }>;
type Revoked = Extract<ControlRecord, { event: 'role.revoked' }>;

/**
 * True if the admin key of this change is still valid. So if two admins revoke each other's keys at once, one key is
 * left.
 */
function isByAdmin({ roleKeys }: Tenant, { byKey }: Granted | Revoked): boolean {
  return byKey === undefined || roleKeys.get(byKey)?.document.role === 'admin';
}

/** The key must have exactly the scopes of the role, for all agents of its own tenant. */
function isFitForRole(control: Tenant, { role, key, change }: Granted): boolean {
  const isOfRole = JSON.stringify(key.scopes) === JSON.stringify(ROLES[role]);
  const isOfTenant = key.tenant === change.tenant && JSON.stringify(key.agents) === '["*"]';
  return isNewKey(control, key) && isOfRole && isOfTenant && key.pins === undefined;
}

function isNewKey({ keys, roleKeys }: Tenant, { id, revokedAt }: ApiKeyRecord): boolean {
  return revokedAt === null && !keys.has(id) && !roleKeys.has(id);
}

/**
 * The parent of a sub-agent must be registered and must not be a descendant of the sub-agent. No chain of ancestors
 * may become too long.
 */
function validateParent(control: Tenant, { id, parent }: AgentDocument): ChangeRefusal | null {
  const { agents } = control;
  if (parent === undefined) return null;
  if (!agents.has(parent) && parent !== id) return 'PARENT_UNKNOWN';
  let ancestor: string | undefined = parent;
  let height = 0;
  for (; ancestor !== undefined; height += 1) {
    if (ancestor === id) return 'PARENT_IS_BELOW';
    if (height === CAPS.parents) return 'PARENT_TOO_DEEP';
    ancestor = agents.get(ancestor)?.document.parent;
  }
  if (agents.get(id)?.document.parent === parent) return null;
  return height + depthBelow(control, id) > CAPS.parents ? 'PARENT_TOO_DEEP' : null;
}

/**
 * Refuses a new parent if the agent would have too many former ancestors. If one were forgotten, the agent could
 * avoid a kill of that ancestor and its descendants.
 */
function validateMove(control: Tenant, agent: AgentDocument, revision: number): ChangeRefusal | null {
  const left = departuresAfter(control, agent, revision)?.size ?? 0;
  return left > CAPS.formerAncestors ? 'PARENT_CHANGED_TOO_OFTEN' : null;
}

function isUsed({ rulesOf }: Tenant, policyId: string): boolean {
  return (rulesOf.get(policyId)?.size ?? 0) > 0;
}

/** The number of tenants that were ever opened, and the number of tenants that have their own topics. */
export type ThereAre = { tenants: number; topics: number };

export function isOneTooMany(
  control: Tenant,
  record: ControlRecord,
  current: number,
  there: ThereAre,
  singles: readonly ControlRecord[],
): boolean {
  const isNew = current === 0;
  switch (record.event) {
    case 'agent.put': {
      if (isNew && control.agents.size >= quotaOf(control, 'agents')) return true;
      const grows = departuresGrow(control, record.agent);
      return grows > 0 && control.departed + grows > CAPS.departures;
    }
    case 'key.issued':
      return (control.keysOf.get(record.agentId)?.size ?? 0) >= CAPS.keysPerAgent;
    case 'role.granted':
      return control.roleKeys.size >= CAPS.roleKeys;
    case 'policy.published': {
      const { length } = control.versions.get(record.policy.id) ?? [];
      return (
        length >= CAPS.versionsPerPolicy || (isNew && control.policies.size >= quotaOf(control, 'policies'))
      );
    }
    case 'rule.put':
      return isNew && control.rules.size >= quotaOf(control, 'rules');
    case 'grant.issued':
      return areTooMany(control, record);
    case 'manifest.published':
      return isManifestTooMany(control, record, singles);
    case 'tenant.put':
      if (isNew && there.tenants >= CAPS.tenants) return true;
      return (
        record.tenant.directTopic === true &&
        control.opened?.hadTopic !== true &&
        there.topics >= CAPS.directTopics
      );
    default:
      return false;
  }
}
