import { foldControl, type TenantControl } from '@mandate/control';
import type { ControlRecord, PolicyDocument } from '@mandate/schemas';
import type { InForce } from './messages.ts';

const TENANT = 'default';

/** Returns the control state of the plane. With a draft: the state with the draft as the newest version. */
export function controlOf(
  { agents, rules, policies }: InForce,
  draft: PolicyDocument | null = null,
): TenantControl {
  const fold = foldControl();
  let revision = 0;
  const apply = (record: Change) => {
    revision += 1;
    const change = { id: `chg_${revision}`, tenant: TENANT, by: 'preview', reason: '', at: AT };
    fold.apply({ ...record, change } as ControlRecord, revision);
  };
  for (const agent of agents) apply({ event: 'agent.put', agent });
  for (const [id, versions] of Map.groupBy(policies, ({ policy }) => policy.id)) {
    const newest = versions.at(-1);
    if (newest === undefined) continue;
    // The state counts the versions of a policy, but the browser has only the versions that rules name. So the newest
    // version is published here in the place of each other version, and the count is right.
    for (let version = 1; version <= newest.version; version += 1) {
      apply({
        event: 'policy.published',
        policy: versions.find((one) => one.version === version)?.policy ?? newest.policy,
      });
    }
    if (draft?.id === id) apply({ event: 'policy.published', policy: draft });
    else if (newest.isArchived) apply({ event: 'policy.archived', policyId: id, forced: true });
  }
  if (draft !== null && !policies.some(({ policy }) => policy.id === draft.id)) {
    apply({ event: 'policy.published', policy: draft });
  }
  for (const rule of rules) apply({ event: 'rule.put', rule });
  return fold.tenant(TENANT);
}

const AT = '2026-01-01T00:00:00.000Z';

type Change = ControlRecord extends infer Each
  ? Each extends unknown
    ? Omit<Each, 'change'>
    : never
  : never;
