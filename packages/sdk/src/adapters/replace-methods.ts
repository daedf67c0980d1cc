/** Replaces methods of an object that other code owns. */

export type Method = (...given: unknown[]) => unknown;

/** Returns the object with other methods. Methods get the object itself as `this`, so private fields work. */
export function replacing<T extends object>(
  object: T,
  methods: Readonly<Record<string, (original: Method) => Method>>,
): T {
  return new Proxy(object, {
    get(target, key) {
      const value: unknown = Reflect.get(target, key, target);
      if (typeof value !== 'function' || key === 'constructor') return value;
      const original = value.bind(target) as Method;
      const replace = typeof key === 'string' && Object.hasOwn(methods, key) ? methods[key] : undefined;
      return replace === undefined ? original : replace(original);
    },
  });
}
