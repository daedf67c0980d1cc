/**
 * Copies the state of a tenant, so that a change can be tried on the copy. Documents never change, so the copy shares
 * them. It shares no container that `evolve` changes in place.
 */
import type { Tenant } from './tenant-control.ts';

export function copyTenant(tenant: Tenant): Tenant {
  const { issued } = tenant;
  return {
    ...tenant,
    agents: new Map(tenant.agents),
    retired: new Map(tenant.retired),
    childrenOf: copySets(tenant.childrenOf),
    departures: new Map(tenant.departures),
    keys: new Map(tenant.keys),
    keysOf: copySets(tenant.keysOf),
    roleKeys: new Map(tenant.roleKeys),
    endedKeys: new Map(tenant.endedKeys),
    policies: new Map(tenant.policies),
    versions: copyMap(tenant.versions, (versions) => [...versions]),
    rules: new Map(tenant.rules),
    rulesOf: copySets(tenant.rulesOf),
    manifests: copyMap(tenant.manifests, (one) => ({ ...one, versions: [...one.versions] })),
    issued: {
      ...issued,
      byId: new Map(issued.byId),
      ofAgent: copySets(issued.ofAgent),
      made: new Map(issued.made),
    },
  };
}

function copySets(sets: ReadonlyMap<string, ReadonlySet<string>>): Map<string, Set<string>> {
  return copyMap(sets, (ids) => new Set(ids));
}

function copyMap<From, To>(map: ReadonlyMap<string, From>, copy: (one: From) => To): Map<string, To> {
  return new Map(Array.from(map, ([id, one]) => [id, copy(one)]));
}
