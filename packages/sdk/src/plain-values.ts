/** Distinguishes plain objects from promises and instances of classes. */

/**
 * True for an object literal, also of another realm. A promise, a map or an instance of a class has no own fields that
 * a check could see.
 */
export function isPlainObject(value: unknown): value is object {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const prototype = Object.getPrototypeOf(value);
  return prototype === null || Object.hasOwn(prototype, 'hasOwnProperty');
}

/** A function that should return a value may be async. Its rejection must not end the process. */
export function ignoreRejection(value: unknown): void {
  if (value instanceof Promise) value.catch(() => {});
}
