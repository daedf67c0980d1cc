/**
 * Returns the value with the keys of its maps in the order of `model`. A key that the model does not have stays after
 * the key before it. The order of keys has no meaning, but a comparison of lines would show a moved key as removed and
 * added.
 */
export function inOrderOf(value: unknown, model: unknown): unknown {
  if (Array.isArray(value)) {
    const models: readonly unknown[] = Array.isArray(model) ? model : [];
    return value.map((item, at) => inOrderOf(item, models[at]));
  }
  if (!isMap(value) || !isMap(model)) return value;
  const first: string[] = [];
  const shared = Object.keys(model).filter((key) => Object.hasOwn(value, key));
  // Each shared key, with the new keys that follow it.
  const following = new Map(shared.map((key) => [key, [key]]));
  let group = first;
  for (const key of Object.keys(value)) {
    const known = following.get(key);
    if (known === undefined) group.push(key);
    else group = known;
  }
  const keys = [first, ...following.values()].flat();
  return Object.fromEntries(keys.map((key) => [key, inOrderOf(value[key], model[key])]));
}

function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
