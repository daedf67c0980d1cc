/**
 * Decides why a manifest is refused. Its documents take effect together, so all of them are checked before any of them
 * changes.
 */
import { CAPS, type ControlRecord, type PublishedManifest, policyNamed } from '@mandate/schemas';
import { depthBelow } from '../depth-below.ts';
import { departuresAfter } from '../former-ancestors.ts';
import type { Tenant, TenantControl } from '../tenant-control.ts';
import { idOf, OWNS_NOTHING, type Published, type Removed } from './manifest-history.ts';

export type ManifestRefusal =
  /** A document of the manifest is not of the form that every compiled manifest has. */
  | 'MANIFEST_UNFIT'
  /** An agent, a policy or a rule with this id exists and does not belong to the manifest. */
  | 'ID_TAKEN'
  | 'POLICY_IN_USE'
  | 'PARENT_TOO_DEEP'
  | 'PARENT_CHANGED_TOO_OFTEN'
  | 'NOT_FOUND';

/** @param changes the changes of the documents, as `singleChanges` returns them */
export function validateManifest(
  control: Tenant,
  record: Published | Removed,
  changes: readonly ControlRecord[],
  revision: number,
): ManifestRefusal | null {
  if (record.event === 'manifest.removed') {
    const history = control.manifests.get(record.manifestId);
    if (history === undefined || history.isRemoved) return 'NOT_FOUND';
    return !record.forced && ofOthersUse(control, record, changes).length > 0 ? 'POLICY_IN_USE' : null;
  }
  if (!isWellFormed(record.manifest)) return 'MANIFEST_UNFIT';
  if (idsTaken(control, record.manifest).length > 0) return 'ID_TAKEN';
  if (ofOthersUse(control, record, changes).length > 0) return 'POLICY_IN_USE';
  return validateMoves(control, changes, revision);
}

/**
 * True if the manifest has the form of compiled manifests: its first agent is the parent of all others, every document
 * has an id of the manifest, and its rules give its own policies to its own agents. So publishing a manifest never
 * changes what other agents may do.
 */
function isWellFormed({ id, agents, policies, rules }: PublishedManifest): boolean {
  // In the id of a policy, an @ would begin a version. So it is written as %40 there.
  const prefixes = [id, id.replaceAll('@', '%40')];
  const isOwn = (own: string) => prefixes.some((prefix) => own === prefix || own.startsWith(`${prefix}.`));
  const ids = { agents: new Set<string>(), policies: new Set<string>(), rules: new Set<string>() };
  const areOwn = [
    [agents, ids.agents],
    [policies, ids.policies],
    [rules, ids.rules],
  ] as const;
  for (const [documents, known] of areOwn)
    for (const { id: own } of documents) {
      if (!isOwn(own) || known.has(own)) return false;
      known.add(own);
    }
  return (
    agents.every((agent, at) => agent.parent === (at === 0 ? undefined : id)) &&
    agents[0]?.id === id &&
    rules.every(
      ({ policy, agents: named = [] }) =>
        ids.policies.has(policyNamed(policy).id) &&
        named.length > 0 &&
        named.every((agent) => ids.agents.has(agent)),
    )
  );
}

/** Returns the documents of others that have ids of the manifest, such as `rule support-team`. */
export function idsTaken(
  { agents, policies, rules, manifests }: Pick<TenantControl, 'agents' | 'policies' | 'rules' | 'manifests'>,
  manifest: PublishedManifest,
): string[] {
  const owned = manifests.get(manifest.id)?.owns ?? OWNS_NOTHING;
  const taken = (kind: string, what: 'agents' | 'policies' | 'rules', exists: (id: string) => boolean) => {
    const own = new Set(owned[what]);
    return manifest[what].flatMap(({ id }) => (exists(id) && !own.has(id) ? [`${kind} ${id}`] : []));
  };
  return [
    ...taken('agent', 'agents', (id) => agents.has(id)),
    ...taken('policy', 'policies', (id) => policies.get(id)?.isArchived === false),
    ...taken('rule', 'rules', (id) => rules.has(id)),
  ];
}

/** Returns the rules of others that name a policy which the change archives. */
function ofOthersUse(
  { rules, rulesOf, manifests }: Pick<Tenant, 'rules' | 'rulesOf' | 'manifests'>,
  record: Published | Removed,
  changes: readonly ControlRecord[],
): string[] {
  const own = new Set(manifests.get(idOf(record))?.owns.rules);
  if (record.event === 'manifest.published') for (const { id } of record.manifest.rules) own.add(id);
  return changes.flatMap((change) => {
    if (change.event !== 'policy.archived') return [];
    return [...(rulesOf.get(change.policyId) ?? [])].filter(
      (ruleId) => rules.has(ruleId) && !own.has(ruleId),
    );
  });
}

/** The first agent has no parent, so no circle can arise. Agents that exist below the agents of the manifest count. */
function validateMoves(
  control: Tenant,
  changes: readonly ControlRecord[],
  revision: number,
): ManifestRefusal | null {
  for (const change of changes) {
    if (change.event !== 'agent.put') continue;
    const { agent } = change;
    const isMoved =
      agent.parent !== undefined && control.agents.get(agent.id)?.document.parent !== agent.parent;
    if (isMoved && 1 + depthBelow(control, agent.id) > CAPS.parents) return 'PARENT_TOO_DEEP';
    const left = departuresAfter(control, agent, revision)?.size ?? 0;
    if (left > CAPS.formerAncestors) return 'PARENT_CHANGED_TOO_OFTEN';
  }
  return null;
}
