/** Compares plain data field by field. A rule for each field says what a change of the field means. */
import { deepEqual } from '@mandate/schemas';
import { fieldOf, isMap } from '../read/written.ts';
import { type Category, type Change, changeAt } from './change.ts';

/**
 * `widens`: whether the change gives an agent more. Absent if this is unknown. An undefined value means that there is
 * no value.
 */
export type FieldRule = { category: Category; widens?: (was: unknown, is: unknown) => boolean | null };

/**
 * The rules of the fields of an object, by field name. The rule of a field also applies to everything inside the field.
 */
export type FieldRules = Readonly<Record<string, FieldRule>>;

export function fieldsChanged(
  path: string,
  was: object | undefined,
  is: object | undefined,
  rules: FieldRules,
): Change[] {
  const [before, after] = [fieldsOf(was), fieldsOf(is)];
  return Object.entries(rules).flatMap(([name, rule]) =>
    fieldChanged(`${path}.${name}`, fieldOf(before, name), fieldOf(after, name), rule),
  );
}

/** A missing map counts as an empty map. A list is compared as one value. */
export function fieldChanged(path: string, was: unknown, is: unknown, rule: FieldRule): Change[] {
  if ((isMap(was) || was === undefined) && (isMap(is) || is === undefined))
    return keysOf(was, is).flatMap((name) =>
      fieldChanged(`${path}.${name}`, fieldOf(was, name), fieldOf(is, name), rule),
    );
  if (deepEqual(was, is)) return [];
  const { category, widens } = rule;
  return [changeAt(path, was, is, { category, widens: widens?.(was, is) ?? null })];
}

/** Compares two sets of named items. An item with the same name and another value is a change. */
export function setChanged(
  path: string,
  was: ReadonlyMap<string, unknown>,
  is: ReadonlyMap<string, unknown>,
  rule: FieldRule,
): Change[] {
  return [...new Set([...was.keys(), ...is.keys()])].flatMap((name) => {
    const [before, after] = [was.get(name), is.get(name)];
    if (deepEqual(before, after)) return [];
    const { category, widens } = rule;
    return [
      changeAt(`${path}.${name}`, before, after, { category, widens: widens?.(before, after) ?? null }),
    ];
  });
}

/** The change of a limit widens if the limit is raised or removed. */
export function limitWidens(was: unknown, is: unknown): boolean | null {
  if (is === undefined) return true;
  if (was === undefined) return false;
  return typeof was === 'number' && typeof is === 'number' ? is > was : null;
}

/** The change of a restriction, such as a confirmation, widens if the field is no longer true. */
export const RESTRAINT: FieldRule = { category: 'GOVERNANCE', widens: restraintWidens };

function restraintWidens(was: unknown, is: unknown): boolean {
  return was === true && is !== true;
}

/** Every change to another value widens, for example to another address. */
export function otherWidens(_was: unknown, is: unknown): boolean {
  return is !== undefined;
}

export function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return isMap(value) ? value : {};
}

/** The keys of both objects, each once. */
export function keysOf(was: unknown, is: unknown): readonly string[] {
  return [...new Set([...Object.keys(fieldsOf(was)), ...Object.keys(fieldsOf(is))])];
}
