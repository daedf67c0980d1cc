/**
 * Returns the value with the keys of its maps in the order of `model`, and other keys after them. The order of keys has
 * no meaning, but a comparison of lines would show a moved key as removed and added.
 */
export function inOrderOf(value: unknown, model: unknown): unknown {
  if (Array.isArray(value)) {
    const models: readonly unknown[] = Array.isArray(model) ? model : [];
    return value.map((item, at) => inOrderOf(item, models[at]));
  }
  if (!isMap(value) || !isMap(model)) return value;
  const known = Object.keys(model).filter((key) => Object.hasOwn(value, key));
  const keys = new Set([...known, ...Object.keys(value)]);
  return Object.fromEntries([...keys].map((key) => [key, inOrderOf(value[key], model[key])]));
}

function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
