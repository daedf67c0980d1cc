import type { Governance } from '../../governance/governance.ts';
import type { Policy } from '../../mandate/mandate.ts';
import type { Calls } from '../check.ts';

/** A policy that has the section `governance`. */
export type Governed = { policy: Policy; governance: Governance };

/** Returns the policies that have the section `governance`, in the order of the mandate. */
export function governedOf(calls: readonly Calls[]): readonly Governed[] {
  return calls.flatMap(({ policy }) =>
    policy.governance === null ? [] : [{ policy, governance: policy.governance }],
  );
}
