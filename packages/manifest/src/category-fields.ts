/** The fields of the policies of categories, and how two values of a field compare. */
import type { CategoryPolicies } from '@mandate/schemas/manifest';
import type { Path } from './fault.ts';

type Value = number | boolean | undefined;
type Field = { readonly path: Path; readonly of: (policies: CategoryPolicies) => Value };

export const CATEGORY_FIELDS: readonly Field[] = [
  { path: ['defaultTtl'], of: ({ defaultTtl }) => defaultTtl },
  { path: ['maxContentLength'], of: ({ maxContentLength }) => maxContentLength },
  { path: ['permissions', 'create'], of: ({ permissions }) => permissions?.create },
  { path: ['permissions', 'update'], of: ({ permissions }) => permissions?.update },
  { path: ['permissions', 'delete'], of: ({ permissions }) => permissions?.delete },
  { path: ['subcategoryCreation'], of: ({ subcategoryCreation }) => subcategoryCreation },
];

/**
 * Returns the rules that hold in a category: its own fields, and otherwise those of the categories above it. A field
 * that no category states is absent. Defaults are not filled in here, because a default must not replace a field of a
 * category above.
 */
export function holdsIn(above: CategoryPolicies, policies: CategoryPolicies = {}): CategoryPolicies {
  return { ...above, ...policies, permissions: { ...above.permissions, ...policies.permissions } };
}

/** True if a value allows more than another value of the same field. An absent limit or denial allows everything. */
export function isLooser(is: Value, was: Value): boolean {
  if (typeof was === 'number') return typeof is !== 'number' || is > was;
  return was === false && is !== false;
}
