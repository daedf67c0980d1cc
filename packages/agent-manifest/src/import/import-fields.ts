/** Reads the fields of a map in an imported file, and warns of every field that the manifest cannot express. */
import { nearestName } from '@mandate/schemas/core';
import type { ImportFile } from './import-file.ts';
import { type ImportNotes, type Path, quoted } from './import-notes.ts';
import { isMap, type Json, type JsonMap } from './json-value.ts';

const STEPS_TO_FIND_A_NAME = 10_000;

type FieldsOf = { file: ImportFile; notes: ImportNotes };

/**
 * The fields of one map. A field that is null is absent. A field of the wrong type is a fault, because its meaning is
 * not known.
 */
export class ImportFields {
  readonly value: JsonMap;
  readonly path: Path;
  readonly file: ImportFile;
  readonly notes: ImportNotes;
  readonly #read = new Set<string>();

  constructor(value: JsonMap, path: Path, { file, notes }: FieldsOf) {
    this.value = value;
    this.path = path;
    this.file = file;
    this.notes = notes;
  }

  at(name: string): Path {
    return [...this.path, name];
  }

  /** Returns the value of a field. Undefined if the field is absent or null. */
  any(name: string): Json | undefined {
    this.#read.add(name);
    const value = Object.hasOwn(this.value, name) ? this.value[name] : undefined;
    return value ?? undefined;
  }

  /** Returns a text. Null if the field is absent or empty. Numbers are read as their text. */
  text(name: string): string | null {
    const value = this.any(name);
    if (value === undefined) return null;
    if (typeof value === 'number' || typeof value === 'boolean') return String(value);
    if (typeof value !== 'string') return this.#wrong(name, 'a text');
    const text = value.trim();
    return text === '' ? null : text;
  }

  flag(name: string): boolean | null {
    const value = this.any(name);
    if (value === undefined) return null;
    return typeof value === 'boolean' ? value : this.#wrong(name, 'true or false');
  }

  /** Returns a whole number that is at least `least`. */
  count(name: string, least: number): number | null {
    const value = this.any(name);
    if (value === undefined) return null;
    return typeof value === 'number' && Number.isSafeInteger(value) && value >= least
      ? value
      : this.#wrong(name, `a whole number of at least ${least}`);
  }

  list(name: string): readonly Json[] | null {
    const value = this.any(name);
    if (value === undefined) return null;
    return Array.isArray(value) ? value : this.#wrong(name, 'a list');
  }

  /** Returns a list of texts. */
  texts(name: string): readonly string[] | null {
    const list = this.list(name);
    if (list === null) return null;
    return list.every((item) => typeof item === 'string') ? list : this.#wrong(name, 'a list of texts');
  }

  /** Returns the fields of a map inside this map. */
  map(name: string): ImportFields | null {
    const value = this.any(name);
    if (value === undefined) return null;
    return isMap(value) ? this.within(value, [name]) : this.#wrong(name, 'a map');
  }

  /** Returns the maps inside a map, by their names. */
  maps(name: string): readonly (readonly [name: string, fields: ImportFields])[] {
    const map = this.map(name);
    return map === null ? [] : map.members();
  }

  /** Returns the maps that are the values of this map, by their names. */
  members(): readonly (readonly [name: string, fields: ImportFields])[] {
    return Object.keys(this.value).flatMap((key) => {
      const fields = this.map(key);
      if (fields !== null) return [[key, fields] as const];
      if (this.value[key] === null)
        this.notes.warn('FIELD_NOT_TAKEN', this.file, this.at(key), () => `${quoted(key)} is empty`);
      return [];
    });
  }

  /** Returns the fields of a map in the list `name`. Null after a fault. */
  item(name: string, value: Json, at: number): ImportFields | null {
    if (isMap(value)) return this.within(value, [name, at]);
    this.notes.fault('TYPE_WRONG', this.file, [...this.at(name), at], 'must be a map');
    return null;
  }

  /** Returns the maps in a list. */
  items(name: string): readonly ImportFields[] {
    return (this.list(name) ?? []).flatMap((value, at) => this.item(name, value, at) ?? []);
  }

  within(value: JsonMap, path: Path): ImportFields {
    return new ImportFields(value, [...this.path, ...path], this);
  }

  /** Warns of present fields that have no counterpart in a manifest. */
  leaveOut(reasons: Readonly<Record<string, string>>): void {
    for (const [name, reason] of Object.entries(reasons)) {
      if (this.any(name) === undefined || isEmpty(this.value[name])) continue;
      this.notes.warn('FIELD_NOT_TAKEN', this.file, this.at(name), `${name} is not taken over: ${reason}`);
    }
  }

  /** Warns of the fields that no importer knows. */
  end(): void {
    for (const name of Object.keys(this.value)) {
      if (this.#read.has(name)) continue;
      this.notes.warn('FIELD_UNKNOWN', this.file, this.at(name), () => {
        const near = nearestName(name, this.#read, STEPS_TO_FIND_A_NAME);
        const hint = near === undefined ? '' : `: did you mean ${near}?`;
        return `${quoted(name)} is no known field, and is not taken over${hint}`;
      });
    }
  }

  #wrong(name: string, wanted: string): null {
    this.notes.fault('TYPE_WRONG', this.file, this.at(name), `${quoted(name)} must be ${wanted}`);
    return null;
  }
}

/** True for values that mean the same as an absent field: an empty list or map, an empty text, and false. */
function isEmpty(value: Json | undefined): boolean {
  if (value === false || value === '' || value === null) return true;
  if (Array.isArray(value)) return value.length === 0;
  return isMap(value) && Object.keys(value).length === 0;
}
