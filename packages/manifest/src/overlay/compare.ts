/** Compares two values of a field: those before and after an overlay. */
import { deepEqual } from '@mandate/schemas';
import { type Found, found, type Path } from '../fault.ts';
import { isMap, valueAt } from '../values-at.ts';

/** The beginning of every message about a wider value. */
export const LETS_THROUGH = 'lets more through than policy.yaml: ';

type Text = string | (() => string);

/** A difference that allows more. `narrower`: its description if the two documents are exchanged. */
export type Widening = Found & { narrower: () => string };

/**
 * @param what the description of what allows more
 * @param opposite the description of the same difference if the two documents are exchanged
 */
export function widens(path: Path, what: Text, opposite: Text): Widening {
  return {
    ...found('OVERLAY_WIDENS', path, () => `${LETS_THROUGH}${textOf(what)}`),
    narrower: () => textOf(opposite),
  };
}

function textOf(text: Text): string {
  return typeof text === 'string' ? text : text();
}

export const NOT_COMPARED = 'the list replaces another that cannot be compared';

/** Returns the fields of the map at a path. An empty object if there is no map. */
export function fieldsAt(document: unknown, path: Path): Readonly<Record<string, unknown>> {
  const value = valueAt(document, path);
  return isMap(value) ? value : {};
}

/**
 * Returns the texts of the list at a path. `absent` if the list is missing. Null if the value is not a list of texts.
 */
export function textsAt(document: unknown, path: Path, absent: readonly string[]): readonly string[] | null {
  const value = valueAt(document, path);
  if (value === undefined) return absent;
  return Array.isArray(value) && value.every((item) => typeof item === 'string') ? value : null;
}

/** Warns if a limit is higher or missing after the overlay. */
export function limitWidens(before: unknown, after: unknown, path: Path): Widening[] {
  const [was, is] = [valueAt(before, path), valueAt(after, path)];
  if (was === undefined || deepEqual(was, is)) return [];
  if (is === undefined)
    return [
      widens(
        path,
        () => `the limit ${say(was)} is gone`,
        () => `the limit ${say(was)} is new`,
      ),
    ];
  if (typeof was === 'number' && typeof is === 'number' && is <= was) return [];
  return [
    widens(
      path,
      () => `${say(is)} instead of ${say(was)}`,
      () => `${say(was)} instead of ${say(is)}`,
    ),
  ];
}

/** Warns if a list of refused names lacks an entry after the overlay. `form` returns the form of an entry for comparisons. */
export function entriesGone(
  before: unknown,
  after: unknown,
  path: Path,
  {
    absent = [],
    form = (text) => text,
  }: { absent?: readonly string[]; form?: (text: string) => string } = {},
): Widening[] {
  const was = textsAt(before, path, absent);
  const kept = new Set(textsAt(after, path, absent)?.map(form));
  if (was === null)
    return deepEqual(valueAt(before, path), valueAt(after, path))
      ? []
      : [widens(path, NOT_COMPARED, NOT_COMPARED)];
  const gone = was.filter((entry) => !kept.has(form(entry)));
  const names = () => gone.slice(0, 5).map(quote).join(', ');
  return gone.length === 0
    ? []
    : [
        widens(
          path,
          () => `${names()} is gone`,
          () => `${names()} is new`,
        ),
      ];
}

/** Warns if a list of allowed names has new entries after the overlay. */
export function added(was: ReadonlySet<string>, is: readonly string[], path: Path, what: string): Widening[] {
  const more = is.filter((name) => !was.has(name));
  const names = () => `${what} ${more.slice(0, 5).map(quote).join(', ')}`;
  return more.length === 0 ? [] : [widens(path, names, () => `without ${names()}`)];
}

function quote(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text);
}

function say(value: unknown): string {
  return typeof value === 'number' ? String(value) : 'a value that cannot be compared';
}
