/** The effective policy of each category: each field is that of the nearest category that says it. */
import type { CategoriesSection, CategoryDocument, CategoryPolicies } from '@mandate/schemas/manifest';

/** A field of an effective policy. `from`: the category that says it; null: none does, so it has its default. */
type Said<T> = { readonly value: T; readonly from: string | null };

export type EffectivePolicy = {
  /** The longest life in days. Null: no limit. */
  readonly defaultTtl: Said<number | null>;
  /** The most characters of a memory. Null: no limit. */
  readonly maxContentLength: Said<number | null>;
  readonly create: Said<boolean>;
  readonly update: Said<boolean>;
  readonly delete: Said<boolean>;
  readonly subcategoryCreation: Said<boolean>;
};

export type Permission = 'create' | 'update' | 'delete';

type Node = { readonly effective: EffectivePolicy; readonly below: ReadonlyMap<string, Node> };

/** The stores by name, each with the tree of its categories. */
export type Categories = ReadonlyMap<string, Node>;

const DEFAULTS: EffectivePolicy = {
  defaultTtl: { value: null, from: null },
  maxContentLength: { value: null, from: null },
  create: { value: true, from: null },
  update: { value: true, from: null },
  delete: { value: true, from: null },
  subcategoryCreation: { value: true, from: null },
};

export function compileCategories(section: CategoriesSection): Categories {
  return new Map(
    Object.entries(section).map(([store, { policies, categories }]) => {
      const root = under(DEFAULTS, policies, '/');
      return [store, { effective: root, below: compileBelow(categories, root, '') }];
    }),
  );
}

function compileBelow(
  categories: CategoryDocument['subcategories'],
  above: EffectivePolicy,
  path: string,
): ReadonlyMap<string, Node> {
  return new Map(
    Object.entries(categories ?? {}).map(([name, { policies, subcategories }]) => {
      const here = `${path}/${name}`;
      const effective = under(above, policies, here);
      return [name, { effective, below: compileBelow(subcategories, effective, here) }];
    }),
  );
}

function under(
  above: EffectivePolicy,
  policies: CategoryPolicies | undefined,
  from: string,
): EffectivePolicy {
  if (policies === undefined) return above;
  const { defaultTtl, maxContentLength, subcategoryCreation, permissions = {} } = policies;
  const said = <T>(value: T | undefined, inherited: Said<T>): Said<T> =>
    value === undefined ? inherited : { value, from };
  return {
    defaultTtl: said<number | null>(defaultTtl, above.defaultTtl),
    maxContentLength: said<number | null>(maxContentLength, above.maxContentLength),
    create: said(permissions.create, above.create),
    update: said(permissions.update, above.update),
    delete: said(permissions.delete, above.delete),
    subcategoryCreation: said(subcategoryCreation, above.subcategoryCreation),
  };
}

/** Returns the path with a slash in front, as it is shown. */
export function shown(path: string): string {
  return path.startsWith('/') ? path : `/${path}`;
}

/**
 * Returns the effective policy of a category. A category that is not in the config has the policy of the nearest one
 * above it that is. Null if the store is not in the config.
 *
 * @param path with or without a slash in front; `/` is the root
 */
export function effectivePolicy(categories: Categories, store: string, path: string): EffectivePolicy | null {
  let node = categories.get(store);
  if (node === undefined) return null;
  for (const name of partsOf(path)) {
    const below: Node | undefined = node.below.get(name);
    if (below === undefined) break;
    node = below;
  }
  return node.effective;
}

/** Returns the paths of all categories of the config below a path, in the order of their paths. */
export function configuredBelow(categories: Categories, store: string, path: string): readonly string[] {
  let node = categories.get(store);
  for (const name of partsOf(path)) node = node?.below.get(name);
  const paths: string[] = [];
  const visit = (of: Node, at: string) => {
    for (const [name, child] of of.below) {
      paths.push(`${at}/${name}`);
      visit(child, `${at}/${name}`);
    }
  };
  if (node !== undefined) visit(node, shown(path));
  return paths.sort();
}

/** Returns the path itself and all paths above it, without the root, from the top. */
export function pathsTo(path: string): readonly string[] {
  const parts = partsOf(path);
  return parts.map((_, at) => `/${parts.slice(0, at + 1).join('/')}`);
}

/** Returns the category above. The root is above the top. */
export function above(path: string): string {
  return path.slice(0, path.lastIndexOf('/')) || '/';
}

function partsOf(path: string): readonly string[] {
  return path.split('/').filter((part) => part !== '');
}
