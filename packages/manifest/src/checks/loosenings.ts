/** Finds categories that allow more than the category above them. This is permitted, but easily overlooked. */
import type { CategoriesDocument, CategoryDocument, CategoryPolicies } from '@mandate/schemas/manifest';
import { CATEGORY_FIELDS, holdsIn, isLooser } from '../category-fields.ts';
import { type Found, found, type Path } from '../fault.ts';

export function loosenings({ stores }: CategoriesDocument): readonly Found[] {
  return Object.entries(stores).flatMap(([store, { policies, categories }]) =>
    below(categories, holdsIn({}, policies), ['stores', store, 'categories']),
  );
}

function below(
  categories: CategoryDocument['subcategories'],
  above: CategoryPolicies,
  path: Path,
): readonly Found[] {
  return Object.entries(categories ?? {}).flatMap(([name, { policies = {}, subcategories }]) => {
    const here = [...path, name];
    return [
      ...loosened(policies, above, [...here, 'policies']),
      ...below(subcategories, holdsIn(above, policies), [...here, 'subcategories']),
    ];
  });
}

function loosened(policies: CategoryPolicies, above: CategoryPolicies, path: Path): readonly Found[] {
  return CATEGORY_FIELDS.flatMap((field) => {
    const [is, was] = [field.of(policies), field.of(above)];
    if (is === undefined || !isLooser(is, was)) return [];
    const message = `is ${is} and allows more than the category above, which says ${was}`;
    return [found('LOOSENS_PARENT', [...path, ...field.path], message)];
  });
}
