import { isMembers, KEYWORDS, partsOfKeyword } from './keywords.ts';
import { referencesOf } from './references.ts';
import type { Place, SchemaFault, SchemaPath } from './schema-place.ts';

/** The deepest nesting of subschemas that check the same value. Each level takes a few stack frames. */
const DEEPEST = 32;
/** The most subschemas that check the same value. A subschema counts once for every reference that leads to it. */
const MOST = 100_000;

const ENDLESS = 'the schema refers to itself for the same value, without end';
const TOO_DEEP = `references and combinations lead deeper than ${DEEPEST}: refer to the schema at the end directly`;
const TOO_MANY = 'it takes too many steps to judge one value: its references multiply';

/**
 * Finds subschemas that check the same value without end, or too many times. If there are none, the schema finishes
 * for every value, because the nesting of values is limited.
 *
 * @param targets the subschema of each reference
 * @returns the first fault, or null
 */
export function endlessness(
  places: readonly Place[],
  targets: ReadonlyMap<string, unknown>,
): SchemaFault | null {
  const ways = new Ways(targets);
  for (const { part, path } of places) ways.measure(part, path, 1);
  return ways.fault;
}

/** Of the subschemas that check the same value: their depth and their number. */
type Extent = { deep: number; many: number };

class Ways {
  fault: SchemaFault | null = null;
  readonly #targets: ReadonlyMap<string, unknown>;
  /**
   * The extent of each subschema. Null while the subschema is being measured. If a null entry is met again, the
   * subschema contains itself.
   */
  readonly #measured = new Map<unknown, Extent | null>();

  constructor(targets: ReadonlyMap<string, unknown>) {
    this.#targets = targets;
  }

  measure(part: unknown, path: SchemaPath, depth: number): Extent {
    const extent = { deep: 1, many: 1 };
    if (!isMembers(part) || this.fault !== null) return extent;
    const known = this.#measured.get(part);
    if (known) return known;
    if (known === null) return this.#refuse(path, ENDLESS);
    if (depth > DEEPEST) return this.#refuse(path, TOO_DEEP);
    this.#measured.set(part, null);
    for (const next of this.#nextTo(part, path)) {
      const { deep, many } = this.measure(next.part, next.path, depth + 1);
      extent.deep = Math.max(extent.deep, deep + 1);
      extent.many += many;
      if (extent.deep > DEEPEST) this.#refuse(next.path, TOO_DEEP);
      if (extent.many > MOST) this.#refuse(next.path, TOO_MANY);
    }
    this.#measured.set(part, extent);
    return extent;
  }

  /** Returns the subschemas that check the same value as this part. */
  #nextTo(part: object, path: SchemaPath): readonly Place[] {
    const references = referencesOf(part).map(({ keyword, reference }) => ({
      path: [...path, keyword],
      part: this.#targets.get(reference),
    }));
    const combined = Object.entries(part)
      .filter(([name]) => KEYWORDS.get(name)?.sameValue)
      .flatMap(([name, value]) => partsOfKeyword(name, value))
      .map((below) => ({ path: [...path, ...below.path], part: below.part }));
    return [...references, ...combined];
  }

  #refuse(path: SchemaPath, message: string): Extent {
    this.fault ??= { path, message };
    return { deep: 1, many: 1 };
  }
}
