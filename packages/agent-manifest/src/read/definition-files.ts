/**
 * Follows the references (`$ref`) of definitions into files. Each place is read once, however many definitions lead to
 * it, and the size of everything together is limited.
 */
import { CAPS } from '@mandate/schemas/core';
import { type FaultCode, type Found, found, type Path } from './fault.ts';
import { folderOf, pathBelow } from './file-path.ts';
import { readPointer, valueAtPointer } from './json-pointer.ts';
import type { ManifestFiles } from './manifest-files.ts';
import { MOST_UNITS, readSource, type SourceFile, unitsOf } from './source-file.ts';
import { type Fields, fieldOf, isMap } from './written.ts';

/** The place of a definition: a file, and the path in the file. */
export type Origin = { file: SourceFile; path: Path };

export type Followed = {
  /** The document in which each reference is replaced by its definition. */
  value: unknown;
  /** The places of definitions in other files, by key. */
  origins: ReadonlyMap<string, Origin>;
  /** The paths of the files that were read besides the manifest. */
  files: readonly string[];
  faults: readonly Found[];
};

/** The maximum number of files besides the manifest. */
const MOST_FILES = 1_000;
const TOO_LARGE = `makes the manifest larger than ${MOST_UNITS} characters: refer to smaller definitions, or to fewer`;

export function followReferences(main: SourceFile, files: ManifestFiles): Followed {
  const { value } = main;
  const definitions = fieldOf(value, 'definitions');
  if (!isMap(value) || !isMap(definitions)) return { value, origins: new Map(), files: [], faults: [] };
  const follower = new Follower(main, files);
  const origins = new Map<string, Origin>();
  const faults: Found[] = [];
  const resolved = new Map<string, unknown>(Object.entries(definitions));
  let room = MOST_UNITS - main.units;
  for (const [key, definition] of resolved) {
    const reference = referenceIn(definition);
    if (reference === null) continue;
    const path = ['definitions', key, '$ref'];
    faults.push(...besides(definition, ['definitions', key]));
    // If a reference is not a text, its field has a fault.
    if (typeof reference !== 'string' || reference === '') continue;
    const target = follower.follow(main, reference);
    if (!target.ok) {
      faults.push(found(target.code, path, target.message));
      continue;
    }
    room -= follower.sizeOf(target.value);
    if (room < 0) {
      faults.push(found('YAML_INVALID', path, TOO_LARGE));
      break;
    }
    resolved.set(key, target.value);
    origins.set(key, target.origin);
  }
  const whole = { ...value, definitions: Object.fromEntries(resolved) };
  return { value: whole, origins, files: follower.files(), faults };
}

/** Returns the reference to a definition in another place. Null if the definition itself is here. */
function referenceIn(definition: unknown): unknown {
  if (!isMap(definition) || Object.hasOwn(definition, 'type')) return null;
  return Object.hasOwn(definition, '$ref') ? definition.$ref : null;
}

/** Other fields beside a reference are refused, because they would be lost. */
function besides(definition: unknown, path: Path): Found[] {
  return Object.keys(definition ?? {})
    .filter((name) => name !== '$ref')
    .map((name) =>
      found('FIELD_UNKNOWN', [...path, name], 'is not taken beside $ref: write it into the definition there'),
    );
}

type Target = { ok: true; value: Fields; origin: Origin } | Refused;
type Refused = { ok: false; code: FaultCode; message: string };
type FileFollowed = { ok: true; file: SourceFile } | Refused;

class Follower {
  readonly #files: ManifestFiles;
  readonly #main: string;
  readonly #folder: string;
  /** By path. */
  readonly #read = new Map<string, FileFollowed>();
  /** By path and pointer. */
  readonly #known = new Map<string, Target>();
  readonly #sizes = new Map<unknown, number>();
  #bytesLeft: number = CAPS.documentBytes;

  constructor(main: SourceFile, files: ManifestFiles) {
    this.#files = files;
    this.#main = main.name;
    this.#folder = folderOf(main.name);
    this.#read.set(main.name, { ok: true, file: main });
  }

  files(): readonly string[] {
    return [...this.#read].flatMap(([path, read]) => (read.ok && path !== this.#main ? [path] : []));
  }

  /** The size of a value as JSON. It is computed once, because many references may lead to the same definition. */
  sizeOf(value: unknown): number {
    const size = this.#sizes.get(value) ?? unitsOf(value);
    this.#sizes.set(value, size);
    return size;
  }

  /** Follows a reference from a file, through further references, to a definition. */
  follow(from: SourceFile, reference: string): Target {
    const passed = new Set<string>();
    const target = this.#walk(from, reference, passed);
    // All places on the way lead to the same definition. So a long chain is followed only once.
    for (const place of passed) if (!this.#known.has(place)) this.#known.set(place, target);
    return target;
  }

  #walk(from: SourceFile, reference: string, passed: Set<string>): Target {
    let file = from;
    let next = reference;
    for (;;) {
      const [path = '', ...rest] = next.split('#');
      const fragment = rest.join('#');
      const read = path === '' ? { ok: true as const, file } : this.#fileAt(file, path);
      if (!read.ok) return read;
      file = read.file;
      const place = `${file.name}#${fragment}`;
      const known = this.#known.get(place);
      if (known !== undefined) return known;
      if (passed.has(place)) return refused('REF_CYCLE', `leads in a circle, through ${shown(place)}`);
      passed.add(place);
      const pointer = readPointer(fragment);
      if (pointer === null)
        return refused('REF_MISSING', `${shown(place)} has no JSON pointer after #: write #/name`);
      const value = valueAtPointer(file.value, pointer);
      if (value === undefined) return refused('REF_MISSING', `leads to nothing: there is no ${shown(place)}`);
      const further = referenceIn(value);
      if (isMap(value) && Object.hasOwn(value, 'type'))
        return { ok: true, value, origin: { file, path: pointer } };
      if (typeof further !== 'string' || further === '' || besides(value, []).length > 0)
        return refused(
          'REF_NOT_A_DEFINITION',
          `leads to ${shown(place)}, which is no definition: it must have a type, or a $ref alone`,
        );
      next = further;
    }
  }

  #fileAt(from: SourceFile, written: string): FileFollowed {
    const path = pathBelow(this.#folder, written, folderOf(from.name));
    if (path === null) return refused('PATH_OUTSIDE', OUTSIDE);
    const read = this.#read.get(path) ?? this.#readFile(path);
    this.#read.set(path, read);
    return read;
  }

  #readFile(path: string): FileFollowed {
    if (this.#read.size > MOST_FILES)
      return refused('YAML_INVALID', `leads to more than ${MOST_FILES} files: put definitions together`);
    const read = this.#files.read(path);
    switch (read.found) {
      case 'missing':
        return refused('REF_MISSING', `leads to nothing: there is no file ${shown(path)}`);
      case 'outside':
        return refused('PATH_OUTSIDE', OUTSIDE);
      case 'other':
        return refused(
          'REF_NOT_A_DEFINITION',
          `leads to ${shown(path)}, which is no file: it is ${read.what}`,
        );
    }
    this.#bytesLeft -= read.source.length;
    if (this.#bytesLeft < 0)
      return refused('YAML_INVALID', `leads to files of more than ${CAPS.documentBytes} bytes together`);
    const source = readSource(path, read.source);
    if (source.ok) return source;
    const [fault] = source.faults;
    const where = fault === undefined ? path : `${path}:${fault.line}:${fault.column} ${fault.message}`;
    return refused('YAML_INVALID', `leads to a file that cannot be read: ${where}`);
  }
}

const OUTSIDE =
  'leads out of the folder of the manifest: copy the file there, and write its path from this file';

function refused(code: FaultCode, message: string): Refused {
  return { ok: false, code, message };
}

/** Returns a path for a message. A long path is shortened. */
function shown(path: string): string {
  return path.length <= 200 ? path : `${path.slice(0, 200).replace(/[\ud800-\udbff]$/, '')}…`;
}
