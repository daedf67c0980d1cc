/** Finds values in plain data that was not checked. */
import type { Path } from './fault.ts';

/**
 * Returns each value at a path, with its path. `*` matches each field of an object and each item of a list:
 * `intents.*.triggers.patterns.*`. A missing field, and a value of another form, are left out.
 */
export function valuesAt(value: unknown, path: string): readonly (readonly [Path, unknown])[] {
  let at: (readonly [Path, unknown])[] = [[[], value]];
  for (const step of path.split('.'))
    at = at.flatMap(([path, inner]) => entriesOf(inner, step).map(([key, next]) => [[...path, key], next]));
  return at;
}

function entriesOf(value: unknown, step: string): [PropertyKey, unknown][] {
  if (typeof value !== 'object' || value === null) return [];
  if (step !== '*') return hasOwn(value, step) ? [[step, value[step]]] : [];
  return Array.isArray(value) ? [...value.entries()] : Object.entries(value);
}

/** Returns the value at an exact path. Undefined if it is missing. */
export function valueAt(value: unknown, path: Path): unknown {
  let inner = value;
  for (const step of path) {
    if (typeof inner !== 'object' || inner === null || !hasOwn(inner, step)) return undefined;
    inner = inner[step];
  }
  return inner;
}

export function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function hasOwn(value: object, key: PropertyKey): value is Record<PropertyKey, unknown> {
  return Object.hasOwn(value, key);
}
