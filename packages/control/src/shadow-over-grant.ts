/**
 * Finds what shadow rules would decide about an action under a grant. Shadow rules show the effect of a change before
 * it is made. So the current shadow rules are evaluated for the current agent, and their policies are added to the
 * sources of the grant.
 */

import type { Mandate, Resolved } from '@mandate/policy';
import { compose, type NamedPolicy } from '@mandate/policy';
import type { InShadow } from '@mandate/policy/parts';
import { type RecentlyUsed, recentlyUsed } from '@mandate/policy/parts';

/** How many mandates are cached for one grant. Each combines the grant with one recent result of the shadow rules. */
const KNOWN = 4;

/**
 * @param own the mandate of the grant
 * @param watching the mandate from the shadow rules alone, as if they were in force
 */
type ShadowOverIssued = (own: Mandate | null, watching: Resolved) => InShadow | null;

export function shadowOverGrant(): ShadowOverIssued {
  const made = new WeakMap<Mandate, RecentlyUsed<Mandate>>();

  function laidUpon(own: Mandate, more: Mandate): Mandate | null {
    const known = made.get(own) ?? recentlyUsed<Mandate>(KNOWN);
    made.set(own, known);
    const { hash, grantedBy = [] } = more.reference;
    const key = JSON.stringify([hash, grantedBy]);
    const before = known.get(key);
    if (before !== undefined) return before;
    const { id, grantedBy: ofOwn = [] } = own.reference;
    const both = compose(id, [own, more].flatMap(named), [...ofOwn, ...grantedBy]);
    if (both !== null) known.set(key, both);
    return both;
  }

  return (own, { mandate: more, matches, tooCostly, steps, holdsFromMs, holdsUntilMs }) => {
    if (tooCostly !== undefined)
      return { mandate: null, rules: [tooCostly.rule], policies: [], steps, holdsFromMs, holdsUntilMs };
    const mandate = own === null || more === null ? more : laidUpon(own, more);
    if (mandate === null) return null;
    const policies = new Set(matches.map(({ policy }) => policy));
    return {
      ...{ mandate, rules: matches.map(({ rule }) => rule), policies: [...policies] },
      ...{ steps, holdsFromMs, holdsUntilMs },
    };
  };
}

/** Returns the policies of a mandate that was composed from rules. In such a mandate every policy has a name. */
function named({ policies }: Mandate): NamedPolicy[] {
  return policies.flatMap((policy) => (policy.name === null ? [] : [{ ...policy, name: policy.name }]));
}
