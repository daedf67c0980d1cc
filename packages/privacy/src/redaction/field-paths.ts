/** Combines the paths of fields in a tree, so that one pass over a value finds all matching paths. */

/** A node of the tree. `rule` is the rule of a path that ends at this node. */
type Place<Rule> = {
  readonly names: Map<string, Place<Rule>>;
  /** The child node for `*`, which matches any one name. */
  any: Place<Rule> | null;
  /** The child node for a `**` that begins at this node. */
  deep: Place<Rule> | null;
  /** True for the node of a `**`, because every further name matches it too. */
  readonly stays: boolean;
  rule: Rule | null;
};

/** The nodes of all paths that still match. */
export type Places<Rule> = readonly Place<Rule>[];

export const NOWHERE: Places<never> = [];

/** @param fields the fields with their paths; if a path is repeated, its first rule applies */
export function fieldPaths<Rule extends { path: string }>(fields: readonly Rule[]): Places<Rule> {
  const root = newPlace<Rule>(false);
  for (const rule of fields) {
    let place = root;
    const names = rule.path.split('.');
    for (const [at, name] of names.entries()) {
      // At the end of a path, `**` and `*` both mean everything below this place.
      place = placeOf(place, name === '**' && at === names.length - 1 ? '*' : name);
    }
    place.rule ??= rule;
  }
  return [root];
}

function placeOf<Rule>(place: Place<Rule>, name: string): Place<Rule> {
  if (name === '**') {
    place.deep ??= newPlace(true);
    return place.deep;
  }
  if (name === '*') {
    place.any ??= newPlace(false);
    return place.any;
  }
  const known = place.names.get(name) ?? newPlace<Rule>(false);
  place.names.set(name, known);
  return known;
}

function newPlace<Rule>(stays: boolean): Place<Rule> {
  return { names: new Map(), any: null, deep: null, stays, rule: null };
}

/** Returns the nodes that match after one more name. */
export function below<Rule>(places: Places<Rule>, name: string): Places<Rule> {
  if (places.length === 0) return NOWHERE;
  const next: Place<Rule>[] = [];
  const enter = (place: Place<Rule> | null | undefined) => {
    for (let entered = place; entered != null && !next.includes(entered); entered = entered.deep) {
      next.push(entered);
    }
  };
  for (const place of places) {
    enter(place.names.get(name));
    enter(place.any);
    if (place.stays) enter(place);
  }
  return next;
}

/** Returns the rules of the paths that end at these nodes. */
export function rulesAt<Rule>(places: Places<Rule>): Rule[] {
  return places.flatMap(({ rule }) => rule ?? []);
}
