/**
 * Checks a schema before it is compiled. All keywords must be known and well-formed, and must have the effect that
 * the author expects. Each fault has the path to its place.
 */
import { legible } from '@mandate/schemas/core';
import type { StepBudget } from '../../step-budget.ts';
import { type LinearPattern, linearPattern } from '../linear-pattern.ts';
import { PatternRefused } from '../pattern-to-re2.ts';
import { idleKeywords } from './idle-keywords.ts';
import { kindOfType, shapeFault, type Type, typesOf } from './keyword-value.ts';
import {
  type Dialect,
  isMembers,
  KEYWORDS,
  type Kind,
  type Members,
  partsOfKeyword,
  refusedKeyword,
} from './keywords.ts';
import { followReferences } from './references.ts';
import { endlessness } from './same-value.ts';
import type { Place, SchemaFault, SchemaPath } from './schema-place.ts';

/** A schema without faults, with the data needed to compile it. */
export interface CheckedSchema {
  readonly ok: true;
  readonly dialect: Dialect;
  readonly schema: Members;
  /** The subschema of each reference, by the text of the reference. */
  readonly targets: ReadonlyMap<string, unknown>;
  readonly patterns: ReadonlyMap<string, LinearPattern>;
}

/** The most patterns in one schema. */
const MOST_PATTERNS = 1_000;
/** The maximum number of faults that are reported for one schema. */
const MOST_FAULTS = 20;

/** @param room the total size that the patterns of the schema may have; their sizes are subtracted */
export function checkSchema(
  schema: Members,
  { dialect, id, room }: { dialect: Dialect; id: string | null; room: StepBudget },
): CheckedSchema | { readonly ok: false; readonly faults: readonly SchemaFault[] } {
  const found = new Findings(dialect, room);
  found.visit(schema, [], null);
  const { targets, faults } = followReferences(found.places, found.anchors, id);
  const all = [...found.faults, ...faults].slice(0, MOST_FAULTS);
  if (all.length > 0) return { ok: false, faults: all };
  const endless = endlessness(found.places, targets);
  if (endless !== null) return { ok: false, faults: [endless] };
  return { ok: true, dialect, schema, targets, patterns: found.patterns };
}

class Findings {
  readonly faults: SchemaFault[] = [];
  readonly places: Place[] = [];
  readonly anchors = new Map<string, unknown>();
  readonly patterns = new Map<string, LinearPattern>();
  readonly #dialect: Dialect;
  readonly #room: StepBudget;

  constructor(dialect: Dialect, room: StepBudget) {
    this.#dialect = dialect;
    this.#room = room;
  }

  /** @param given the types that the enclosing schema allows for the same value; null means any type */
  visit(part: unknown, path: SchemaPath, given: readonly Type[] | null): void {
    this.places.push({ path, part });
    if (!isMembers(part)) return;
    const types = typesOf(part.type) ?? given;
    this.#types(part, path, given);
    for (const name of Object.keys(part)) this.#keyword(name, part, path, types);
    for (const { keyword, message } of idleKeywords(part, this.#dialect))
      this.#say([...path, keyword], message);
  }

  #say(path: SchemaPath, message: string): void {
    if (this.faults.length < MOST_FAULTS) this.faults.push({ path, message });
  }

  #keyword(name: string, part: Members, path: SchemaPath, types: readonly Type[] | null): void {
    const value = part[name];
    const at = [...path, name];
    const refused = refusedKeyword(name, this.#dialect);
    const keyword = KEYWORDS.get(name);
    const wrong = refused ?? (keyword && shapeFault(keyword.shape, value));
    if (wrong != null || keyword === undefined) {
      this.#say(at, `${keyword === undefined ? legible(name) : name} ${wrong}`);
      return;
    }
    if (keyword.limits !== undefined) this.#limits(name, keyword.limits, at, types);
    if (keyword.shape === 'anchor') this.#anchor(String(value), part, at);
    if (keyword.shape === 'pattern') this.#pattern(String(value), at);
    for (const below of partsOfKeyword(name, value)) {
      if (keyword.shape === 'schemas by pattern') {
        this.#pattern(String(below.path.at(-1)), [...path, ...below.path]);
      }
      const given = keyword.sameValue ? types : name === 'propertyNames' ? NAMES_ARE_TEXTS : null;
      this.visit(below.part, [...path, ...below.path], given);
    }
  }

  #types(part: Members, path: SchemaPath, given: readonly Type[] | null): void {
    const own = typesOf(part.type);
    if (own === null || given === null) return;
    const kinds = new Set(given.map(kindOfType));
    for (const type of own.filter((each) => !kinds.has(kindOfType(each)))) {
      this.#say(
        [...path, 'type'],
        `type ${type} is never met: the schema around it leaves only ${given.join(', ')}`,
      );
    }
  }

  #limits(name: string, kind: Kind, at: SchemaPath, types: readonly Type[] | null): void {
    if (types === null) {
      this.#say(at, `${name} limits only ${PLURAL[kind]}: name the type beside it, as in type: ${kind}`);
    } else if (!types.some((type) => kindOfType(type) === kind)) {
      this.#say(at, `${name} limits only ${PLURAL[kind]}, and the type is ${types.join(', ')}`);
    }
  }

  #anchor(name: string, part: Members, at: SchemaPath): void {
    const named = this.anchors.get(name);
    if (named !== undefined && named !== part) this.#say(at, `the anchor "${name}" is used twice`);
    this.anchors.set(name, part);
  }

  #pattern(pattern: string, at: SchemaPath): void {
    if (this.patterns.has(pattern)) return;
    try {
      if (this.patterns.size < MOST_PATTERNS) this.patterns.set(pattern, linearPattern(pattern, this.#room));
      else this.#say(at, `the schema has more than ${MOST_PATTERNS} patterns`);
    } catch (error) {
      if (!(error instanceof PatternRefused)) throw error;
      this.#say(at, error.message);
    }
  }
}

const NAMES_ARE_TEXTS: readonly Type[] = ['string'];

const PLURAL: Readonly<Record<Kind, string>> = {
  null: 'null',
  boolean: 'booleans',
  number: 'numbers',
  string: 'strings',
  array: 'arrays',
  object: 'objects',
};
