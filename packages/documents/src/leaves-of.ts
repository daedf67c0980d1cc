import type { Json } from '@mandate/schemas';

type Leaf = {
  /** The path of the value, such as `args.items[0].to`. A name that is not a plain word is quoted: `args["a b"]`. */
  path: string;
  /** The value as JSON. An empty object or list inside the whole value counts as one value. */
  json: string;
};

/**
 * Returns every value within a JSON value, with its path, in the order of the text. If the whole value is an empty
 * object, returns none.
 */
export function leavesOf(root: string, value: Json): Leaf[] {
  const leaves: Leaf[] = [];
  // A loop with its own stack, because a value may be nested more deeply than function calls can be.
  const open: { path: string; value: Json }[] = [{ path: root, value }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { path, value } = next;
    const within = partsOf(value);
    if (within.length > 0)
      open.push(...within.toReversed().map(([step, part]) => ({ path: path + step, value: part })));
    else if (path !== root || !isObject(value)) leaves.push({ path, json: JSON.stringify(value) });
  }
  return leaves;
}

function partsOf(value: Json): [step: string, part: Json][] {
  if (Array.isArray(value)) return value.map((part, at) => [`[${at}]`, part]);
  if (!isObject(value)) return [];
  return Object.entries(value).map(([name, part]) => [stepTo(name), part]);
}

function stepTo(name: string): string {
  return /^\w+$/.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`;
}

function isObject(value: Json): value is { [name: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
