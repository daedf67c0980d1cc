/** Finds categories that allow more than the category above them. That is allowed, but it is easily overlooked. */
import type { CategoriesDocument, CategoryDocument, CategoryPolicies } from '@mandate/schemas/manifest';
import { type Found, found, type Path } from '../fault.ts';

/** What holds above a category. A field that no category says is absent. */
type Above = Omit<CategoryPolicies, 'permissions'> & {
  permissions: NonNullable<CategoryPolicies['permissions']>;
};

const PERMISSIONS = ['create', 'update', 'delete'] as const;

export function loosenings({ stores }: CategoriesDocument): readonly Found[] {
  return Object.entries(stores).flatMap(([store, { policies, categories }]) =>
    below(categories, under({ permissions: {} }, policies), ['stores', store, 'categories']),
  );
}

function below(categories: CategoryDocument['subcategories'], above: Above, path: Path): readonly Found[] {
  return Object.entries(categories ?? {}).flatMap(([name, { policies, subcategories }]) => {
    const here = [...path, name];
    return [
      ...loosened(policies, above, [...here, 'policies']),
      ...below(subcategories, under(above, policies), [...here, 'subcategories']),
    ];
  });
}

function under(above: Above, { permissions, ...policies }: CategoryPolicies = {}): Above {
  return { ...above, ...policies, permissions: { ...above.permissions, ...permissions } };
}

function loosened(policies: CategoryPolicies = {}, above: Above, path: Path): readonly Found[] {
  const { permissions = {} } = policies;
  return [
    ...(['defaultTtl', 'maxContentLength'] as const).flatMap((field) =>
      isHigher(policies[field], above[field]) ? looser([...path, field], policies[field], above[field]) : [],
    ),
    ...PERMISSIONS.flatMap((permission) =>
      permissions[permission] === true && above.permissions[permission] === false
        ? looser([...path, 'permissions', permission], true, false)
        : [],
    ),
    ...(policies.subcategoryCreation === true && above.subcategoryCreation === false
      ? looser([...path, 'subcategoryCreation'], true, false)
      : []),
  ];
}

function isHigher(here: number | undefined, above: number | undefined): boolean {
  return here !== undefined && above !== undefined && here > above;
}

function looser(path: Path, here: unknown, above: unknown): readonly Found[] {
  return [
    found('LOOSENS_PARENT', path, `is ${here} and allows more than the category above, which says ${above}`),
  ];
}
