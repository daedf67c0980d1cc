import type { Rule } from '@mandate/policy';
import { rulesByGroup } from '@mandate/policy/parts';
import { ruleOf } from './compile-control.ts';
import type { TenantControl } from './tenant-control.ts';

type OfGroups = ReturnType<typeof rulesByGroup<Rule>>;

const known = new WeakMap<TenantControl, { of: number; rules: OfGroups }>();

/**
 * Returns the rules of a tenant, indexed by group. The index is built only after a change of the rules. So a search
 * for many agents does not read all rules each time.
 */
export function rulesFor(control: TenantControl): OfGroups {
  const { rulesRevision: of } = control;
  const before = known.get(control);
  if (before?.of === of) return before.rules;
  const rules = rulesByGroup(
    [...control.rules.values()].map((kept) => ruleOf(kept)),
    ({ groups }) => groups,
  );
  known.set(control, { of, rules });
  return rules;
}
