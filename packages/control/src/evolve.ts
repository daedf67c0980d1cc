/** Applies a change to the state of a tenant. */
import {
  type AgentDocument,
  CAPS,
  type ControlRecord,
  policyNamed,
  type RuleDocument,
} from '@mandate/schemas';
import { departuresAfter, forgetDepartures, keepDepartures } from './former-ancestors.ts';
import { endWith, issue, revoke } from './grants.ts';
import { keepManifest } from './manifests/manifest-history.ts';
import type { Revisioned } from './revisioned.ts';
import type { AgentKey, EndedKey, RetiredAgent, Tenant } from './tenant-control.ts';

export function evolve(control: Tenant, record: ControlRecord, revision: number): void {
  const { agents, policies, rules } = control;
  switch (record.event) {
    case 'agent.put': {
      const { agent: document } = record;
      const before = agents.get(document.id);
      if (before === undefined || before.document.parent !== document.parent) endBelow(control, document.id);
      const left = departuresAfter(control, document, revision);
      if (left !== null) keepDepartures(control, document.id, left);
      putAgent(control, { revision, document });
      control.retired.delete(document.id);
      return;
    }
    case 'agent.retired': {
      const { parent } = agents.get(record.agentId)?.document ?? {};
      forgetParent(control, record.agentId);
      agents.delete(record.agentId);
      const document = { at: record.change.at, ...(parent !== undefined && { parent }) };
      retire(control, record.agentId, { revision, document });
      for (const id of control.keysOf.get(record.agentId) ?? []) {
        endKey(control, control.keys.get(id), { revision, at: record.change.at });
        control.keys.delete(id);
      }
      control.keysOf.delete(record.agentId);
      endWith(control.issued, record.agentId);
      return;
    }
    case 'key.issued':
      putKey(control, record.key.id, { revision, document: { agentId: record.agentId, key: record.key } });
      return;
    case 'key.revoked':
      endKey(control, control.keys.get(record.keyId), { revision, at: record.change.at });
      control.keys.delete(record.keyId);
      removeUnder(control.keysOf, record.agentId, record.keyId);
      return;
    case 'role.granted': {
      const { role, key, change } = record;
      control.roleKeys.set(key.id, { revision, document: { role, key, changeId: change.id } });
      return;
    }
    case 'role.revoked':
      endKey(control, control.roleKeys.get(record.keyId), { revision, at: record.change.at });
      control.roleKeys.delete(record.keyId);
      return;
    case 'policy.published': {
      const { policy: document } = record;
      const versions = control.versions.get(document.id) ?? [];
      control.versions.set(document.id, versions);
      // The array is extended in place. If it were copied, each new version of a policy would take longer to publish
      // than the version before.
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
      putRule(control, { revision, document: record.rule });
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
    case 'grant.issued':
      issue(control, record, revision);
      return;
    case 'grant.revoked':
      revoke(control.issued, record, revision);
      return;
    // The documents of the manifest are changed first, as changes of their own (manifests/single-changes.ts).
    case 'manifest.published':
    case 'manifest.removed':
      keepManifest(control.manifests, record, revision);
      return;
    case 'tenant.put':
      control.opened = {
        revision,
        document: record.tenant,
        closedAt: null,
        hadTopic: record.tenant.directTopic === true || control.opened?.hadTopic === true,
      };
      return;
    case 'tenant.closed':
      if (control.opened !== null)
        control.opened = { ...control.opened, revision, closedAt: record.change.at };
  }
}

export function putAgent(control: Tenant, kept: Revisioned<AgentDocument>): void {
  const { id, parent } = kept.document;
  forgetParent(control, id);
  control.agents.set(id, kept);
  if (parent !== undefined) idsUnder(control.childrenOf, parent).add(id);
}

function retire(control: Tenant, id: string, kept: Revisioned<RetiredAgent>): void {
  const forgotten = putLast(control.retired, id, kept, CAPS.retiredAgents);
  if (forgotten !== null) forgetDepartures(control, forgotten);
}

function endKey(
  { endedKeys }: Tenant,
  kept: Revisioned<EndedKey> | undefined,
  { revision, at }: { revision: number; at: string },
): void {
  if (kept === undefined) return;
  const { key } = kept.document;
  const ended = { revision, document: { key: { ...key, revokedAt: at } } };
  putLast(endedKeys, key.id, ended, CAPS.endedKeys);
}

/**
 * Adds an entry to a map that would otherwise grow without limit. If the map has too many entries, the oldest entry
 * is removed and returned.
 */
function putLast<T>(all: Map<string, T>, id: string, one: T, most: number): string | null {
  all.delete(id);
  all.set(id, one);
  const [oldest] = all.keys();
  if (all.size <= most || oldest === undefined) return null;
  all.delete(oldest);
  return oldest;
}

export function putKey(control: Tenant, id: string, kept: Revisioned<AgentKey>): void {
  control.keys.set(id, kept);
  idsUnder(control.keysOf, kept.document.agentId).add(id);
}

export function putRule(control: Tenant, kept: Revisioned<RuleDocument>): void {
  const { id, policy } = kept.document;
  forgetUse(control, id);
  control.rules.set(id, kept);
  idsUnder(control.rulesOf, policyNamed(policy).id).add(id);
}

/**
 * Ends the grants of the agent and its descendants. These grants were limited by the old ancestors. If they stayed
 * valid under new ancestors, they could allow what no rules ever allowed.
 */
function endBelow({ issued, childrenOf }: Tenant, id: string): void {
  for (let below = [id]; below.length > 0; ) {
    for (const one of below) endWith(issued, one);
    below = below.flatMap((one) => [...(childrenOf.get(one) ?? [])]);
  }
}

function idsUnder(all: Map<string, Set<string>>, name: string): Set<string> {
  const ids = all.get(name) ?? new Set();
  all.set(name, ids);
  return ids;
}

/** Removes the id from the set of a name. An empty set is removed too, because the number of names is unbounded. */
function removeUnder(all: Map<string, Set<string>>, name: string, id: string): void {
  const ids = all.get(name);
  ids?.delete(id);
  if (ids?.size === 0) all.delete(name);
}

function forgetUse({ rules, rulesOf }: Tenant, ruleId: string): void {
  const before = rules.get(ruleId);
  if (before !== undefined) removeUnder(rulesOf, policyNamed(before.document.policy).id, ruleId);
}

function forgetParent({ agents, childrenOf }: Tenant, id: string): void {
  const parent = agents.get(id)?.document.parent;
  if (parent !== undefined) removeUnder(childrenOf, parent, id);
}
