/** Finds how publishing a manifest changes the agents, policies and rules of a tenant, and what they newly allow. */
import type { TenantControl } from '@mandate/control';
import { type Change, currentDocumentsIn, LISTS, planChanges } from '@mandate/control/plan';
import type { PublishedManifest } from '@mandate/schemas';

export type DocumentChange = Pick<Change, 'does' | 'kind' | 'id'>;

/** The maximum number of lines that one answer lists. */
const LINES = 1_000;

export function documentChanges(
  control: TenantControl,
  published: PublishedManifest,
  atMs: number,
): { documents: readonly DocumentChange[]; widens: readonly string[] } {
  const byId = <T extends { id: string }>(list: readonly T[]) => new Map(list.map((one) => [one.id, one]));
  const { agents, policies, rules } = published;
  const wanted = { agents: byId(agents), policies: byId(policies), rules: byId(rules) };
  const current = currentDocumentsIn(control);
  const { owns } = control.manifests.get(published.id) ?? {};
  const own = {
    agents: new Set(owns?.agents),
    policies: new Set(owns?.policies),
    rules: new Set(owns?.rules),
  };
  const owned = current.filter(({ kind, id }) => own[LISTS[kind]].has(id));
  const changes = [
    ...planChanges(wanted, current, { prune: false, atMs }),
    ...planChanges(wanted, owned, { prune: true, atMs }).filter(({ does }) => does === 'remove'),
  ];
  const newAgents = new Set(
    changes.flatMap(({ kind, does, id }) => (kind === 'agent' && does === 'add' ? [id] : [])),
  );
  return {
    documents: changes.map(({ does, kind, id }) => ({ does, kind, id })),
    widens: changes
      .filter((change) => !isForNewAgents(change, newAgents))
      .flatMap(({ kind, id, widens }) => widens.map((line) => `${kind} ${id}: ${line}`))
      .slice(0, LINES),
  };
}

/** True for a rule that is for new agents only. What a new agent may do is not more than before. */
function isForNewAgents({ kind, after }: Change, newAgents: ReadonlySet<unknown>): boolean {
  if (kind !== 'rule' || !Array.isArray(after?.agents)) return false;
  return after.agents.every((agent) => newAgents.has(agent));
}
