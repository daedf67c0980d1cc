/** A change from one manifest to the next: its place, its importance, and whether an agent gets more. */

/** The most important category first. */
export const CATEGORIES = ['BREAKING', 'GOVERNANCE', 'RESOURCE', 'FEATURE', 'PATCH'] as const;
export type Category = (typeof CATEGORIES)[number];

export type Change = {
  /** The names on the way to the field, joined by dots. Items of sets have their names, not their numbers. */
  path: string;
  category: Category;
  change: 'added' | 'removed' | 'changed';
  /** True if an agent gets more, false if it gets less or the same. Null if this is unknown. */
  widens: boolean | null;
};

export type ManifestDiff = {
  /** By category, then by path. */
  changes: readonly Change[];
  /** The most important category. Null if nothing changed. */
  highest: Category | null;
  /** True if one of the changes gives an agent more. */
  widens: boolean;
};

/** Says how a value at a path changed. Undefined means that there is no value. */
export function changeAt(
  path: string,
  was: unknown,
  is: unknown,
  { category, widens }: Pick<Change, 'category' | 'widens'>,
): Change {
  const change = was === undefined ? 'added' : is === undefined ? 'removed' : 'changed';
  return { path, category, change, widens };
}

export function higher(one: Category, other: Category): Category {
  return rank(one) <= rank(other) ? one : other;
}

export function diffOf(changes: readonly Change[]): ManifestDiff {
  const sorted = changes.toSorted(
    (a, b) => rank(a.category) - rank(b.category) || (a.path < b.path ? -1 : Number(a.path > b.path)),
  );
  return {
    changes: sorted,
    highest: sorted[0]?.category ?? null,
    widens: sorted.some(({ widens }) => widens === true),
  };
}

function rank(category: Category): number {
  return CATEGORIES.indexOf(category);
}
