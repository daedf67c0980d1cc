/** Paths of fields as one tree, so that a value is looked up under all of them in one walk. */

/** Where some of the paths have come to; the rule is that of a path that ends here. */
type Place<Rule> = {
  readonly names: Map<string, Place<Rule>>;
  /** `*` */
  any: Place<Rule> | null;
  /** `**`, of which this place is the beginning. */
  deep: Place<Rule> | null;
  /** Whether this is a `**`: whatever name comes, it is still here. */
  readonly stays: boolean;
  rule: Rule | null;
};

/** Where all paths have come to that may still be met. */
export type Places<Rule> = readonly Place<Rule>[];

export const NOWHERE: Places<never> = [];

/** @param fields a path may stand more than once: the first rule for it is the one that is kept */
export function fieldPaths<Rule extends { path: string }>(fields: readonly Rule[]): Places<Rule> {
  const root = newPlace<Rule>(false);
  for (const rule of fields) {
    let place = root;
    const names = rule.path.split('.');
    for (const [at, name] of names.entries()) {
      // At the end `**` is all that is within, which goes with what `*` names.
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

/** One name further. */
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

/** The rules with paths that end here. */
export function rulesAt<Rule>(places: Places<Rule>): Rule[] {
  return places.flatMap(({ rule }) => rule ?? []);
}
