/** The limits on the number of manifests, of their versions and of their documents. */
import { CAPS, type ControlRecord } from '@mandate/schemas';
import { departuresGrow } from '../former-ancestors.ts';
import { quotaOf } from '../quotas.ts';
import type { Tenant } from '../tenant-control.ts';
import type { Published } from './manifest-history.ts';

/** True if the tenant would have more documents than it may have. */
export function isManifestTooMany(
  control: Tenant,
  record: Published,
  changes: readonly ControlRecord[],
): boolean {
  const { manifest } = record;
  const history = control.manifests.get(manifest.id);
  if (history === undefined && control.manifests.size >= CAPS.manifests) return true;
  if ((history?.versions.length ?? 0) >= CAPS.versionsPerManifest) return true;
  const added = { agents: 0, policies: 0, rules: 0 };
  const gone = { agents: 0, policies: 0, rules: 0 };
  let departures = 0;
  for (const change of changes) {
    if (change.event === 'agent.put') {
      if (!control.agents.has(change.agent.id)) added.agents += 1;
      departures += departuresGrow(control, change.agent);
    } else if (change.event === 'agent.retired') gone.agents += 1;
    else if (change.event === 'policy.published') {
      const { length } = control.versions.get(change.policy.id) ?? [];
      if (length >= CAPS.versionsPerPolicy) return true;
      if (length === 0) added.policies += 1;
    } else if (change.event === 'rule.put') {
      if (!control.rules.has(change.rule.id)) added.rules += 1;
    } else if (change.event === 'rule.removed') gone.rules += 1;
  }
  const isOver = (what: 'agents' | 'policies' | 'rules') =>
    added[what] > gone[what] && control[what].size + added[what] - gone[what] > quotaOf(control, what);
  if (isOver('agents') || isOver('policies') || isOver('rules')) return true;
  return departures > 0 && control.departed + departures > CAPS.departures;
}
