import type { Rule } from '@mandate/policy';
import { rulesByGroup } from '@mandate/policy/parts';
import { ruleOf } from './compile-control.ts';
import type { TenantControl } from './tenant-control.ts';

type OfGroups = ReturnType<typeof rulesByGroup<Rule>>;

const known = new WeakMap<TenantControl, { of: number; rules: OfGroups }>();

/** Made once for every state of the rules: who looks for those of each of many agents does not look through all of them. */
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
