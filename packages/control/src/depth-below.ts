import type { Tenant } from './tenant-control.ts';

/** Returns the number of generations below an agent. */
export function depthBelow({ childrenOf }: Pick<Tenant, 'childrenOf'>, id: string): number {
  let below = [id];
  for (let depth = 0; ; depth += 1) {
    below = below.flatMap((one) => [...(childrenOf.get(one) ?? [])]);
    if (below.length === 0) return depth;
  }
}
