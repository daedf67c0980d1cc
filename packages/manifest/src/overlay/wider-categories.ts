/**
 * Finds where changed categories of memories allow more. The rules that hold in a category are compared, not only its
 * own fields: a category may also allow more because a category above it changed, or because the category was removed.
 */
import type { CategoriesSection, CategoryDocument, CategoryPolicies } from '@mandate/schemas/manifest';
import { CATEGORY_FIELDS, holdsIn, isLooser } from '../category-fields.ts';
import type { Path } from '../fault.ts';
import { type Widening, widens } from './compare.ts';

/** A category in both versions. `holds`: the rules that hold in it. */
type Both<T> = { readonly was: T; readonly is: T };
type Below = Both<CategoryDocument['subcategories']>;
type Holds = Both<CategoryPolicies>;

/** Without the section, a policy says nothing about memories, so another policy alone decides about them. */
export function categoriesWiden(
  was: CategoriesSection | undefined,
  is: CategoriesSection | undefined,
): readonly Widening[] {
  if (is === undefined)
    return was === undefined
      ? []
      : [
          widens(
            ['categories'],
            'the section is gone, and with it its limits',
            'the section is new, and with it its limits',
          ),
        ];
  const before = new Map(Object.entries(was ?? {}));
  return Object.entries(is).flatMap(([name, store]) => {
    const path = ['categories', name];
    const storeBefore = before.get(name);
    if (storeBefore === undefined) return [widens(path, 'a new store', 'the store is gone')];
    const holds = { was: holdsIn({}, storeBefore.policies), is: holdsIn({}, store.policies) };
    const below = { was: storeBefore.categories, is: store.categories };
    return [...looser(holds, null, path), ...widerBelow(below, holds, [...path, 'categories'])];
  });
}

function widerBelow({ was, is }: Below, above: Holds, path: Path): readonly Widening[] {
  const before = new Map(Object.entries(was ?? {}));
  const after = new Map(Object.entries(is ?? {}));
  const names = new Set([...before.keys(), ...after.keys()]);
  return [...names].flatMap((name) => {
    const [one, other] = [before.get(name), after.get(name)];
    const holds = {
      was: holdsIn(above.was, one?.policies),
      is: holdsIn(above.is, other?.policies),
    };
    const here = [...path, name];
    const below = { was: one?.subcategories, is: other?.subcategories };
    return [...looser(holds, above, here), ...widerBelow(below, holds, [...here, 'subcategories'])];
  });
}

/**
 * Returns the fields that allow more here. If a category only inherits the difference, it is reported at the category
 * above.
 */
function looser({ was, is }: Holds, above: Holds | null, path: Path): readonly Widening[] {
  return CATEGORY_FIELDS.flatMap((field) => {
    const [before, after] = [field.of(was), field.of(is)];
    if (!isLooser(after, before)) return [];
    if (above !== null && field.of(above.was) === before && field.of(above.is) === after) return [];
    const now = after ?? (before === false ? true : 'no limit');
    return [
      widens(
        [...path, 'policies', ...field.path],
        () => `${now} instead of ${before}`,
        () => `${before} instead of ${now}`,
      ),
    ];
  });
}
