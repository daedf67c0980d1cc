/**
 * Splits the change of a manifest into the changes of its documents. All of them take effect at the revision of the
 * manifest. Documents that are already as the manifest says do not change: they keep their revision, and their grants
 * stay valid.
 */
import { type ControlRecord, deepEqual } from '@mandate/schemas';
import type { PolicyHistory, Revisioned } from '../revisioned.ts';
import type { TenantControl } from '../tenant-control.ts';
import { idOf, OWNS_NOTHING, type Published, type Removed } from './manifest-history.ts';

type Control = Pick<TenantControl, 'agents' | 'policies' | 'rules' | 'manifests'>;

/** Returns the changes in an order in which each could be made alone. Returns other records unchanged. */
export function singleChanges(control: Control, record: ControlRecord): readonly ControlRecord[] {
  if (record.event !== 'manifest.published' && record.event !== 'manifest.removed') return [record];
  return [...puts(control, record), ...removals(control, record)];
}

function puts({ agents, policies, rules }: Control, record: Published | Removed): ControlRecord[] {
  if (record.event === 'manifest.removed') return [];
  const { change, manifest } = record;
  return [
    ...manifest.agents
      .filter((agent) => isOther(agents.get(agent.id), agent))
      .map((agent): ControlRecord => ({ event: 'agent.put', change, agent })),
    ...manifest.policies
      .filter((policy) => isOther(latestOf(policies.get(policy.id)), policy))
      .map((policy): ControlRecord => ({ event: 'policy.published', change, policy })),
    ...manifest.rules
      .filter((rule) => isOther(rules.get(rule.id), rule))
      .map((rule): ControlRecord => ({ event: 'rule.put', change, rule })),
  ];
}

/** Removes what the manifest no longer has: first the rules, then their policies, then the agents, parents last. */
function removals(control: Control, record: Published | Removed): ControlRecord[] {
  const { change } = record;
  const owned = control.manifests.get(idOf(record))?.owns ?? OWNS_NOTHING;
  const gone = (what: 'agents' | 'policies' | 'rules') => {
    const stays = record.event === 'manifest.published' ? new Set(idsIn(record.manifest[what])) : new Set();
    return owned[what].filter((id) => !stays.has(id));
  };
  return [
    ...gone('rules')
      .filter((ruleId) => control.rules.has(ruleId))
      .map((ruleId): ControlRecord => ({ event: 'rule.removed', change, ruleId })),
    ...gone('policies')
      .filter((policyId) => latestOf(control.policies.get(policyId)) !== undefined)
      .map((policyId): ControlRecord => ({ event: 'policy.archived', change, policyId, forced: true })),
    ...gone('agents')
      .toReversed()
      .filter((agentId) => control.agents.has(agentId))
      .map((agentId): ControlRecord => ({ event: 'agent.retired', change, agentId })),
  ];
}

function isOther(kept: Revisioned<object> | undefined, document: object): boolean {
  return kept === undefined || !deepEqual(kept.document, document);
}

/** Returns the version that rules use. Undefined if there is none, or if the policy is archived. */
function latestOf(history: PolicyHistory | undefined): Revisioned<object> | undefined {
  return history?.isArchived ? undefined : history?.versions.at(-1);
}

function idsIn(documents: readonly { id: string }[]): readonly string[] {
  return documents.map(({ id }) => id);
}
