/** A change that takes effect. */
import { type ControlRecord, policyNamed } from '@mandate/schemas';
import { endWith, issue, revoke } from './issued-mandates.ts';
import type { Tenant } from './tenant-control.ts';

export function takeEffect(control: Tenant, record: ControlRecord, revision: number): void {
  const { agents, policies, rules } = control;
  switch (record.event) {
    case 'agent.put': {
      const { agent: document } = record;
      const before = agents.get(document.id);
      if (before === undefined || before.document.parent !== document.parent) endBelow(control, document.id);
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

/** Those above bounded what was issued, and others would: else who is put elsewhere could do what no rules ever gave. */
function endBelow({ issued, childrenOf }: Tenant, id: string): void {
  for (let below = [id]; below.length > 0; ) {
    for (const one of below) endWith(issued, one);
    below = below.flatMap((one) => [...(childrenOf.get(one) ?? [])]);
  }
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
