/** One judgement of one value: what it may still cost, and what was found wrong. */
import type { Effort } from '../../effort.ts';

/** What a keyword expects; reads on from "expected …". Where it speaks of one field, the text is without the name. */
export type Expectation = string;

/** Judging the value would take more steps than there are. */
export class StepsExhausted extends Error {
  constructor() {
    super('it takes too many steps to judge');
    this.name = 'StepsExhausted';
  }
}

/** Steps that each keyword takes, and each element, field or reference that it looks at; a step is one of a pattern. */
export const PER_KEYWORD = 8;
export const PER_ELEMENT = 8;

export class Run {
  expected: Expectation = '';
  found: unknown = undefined;
  /** The way to the fault, innermost step first. Only callers of a check that failed add to it. */
  readonly steps: (string | number)[] = [];
  readonly effort: Effort;

  constructor(effort: Effort) {
    this.effort = effort;
  }

  spend(steps: number): void {
    this.effort.left -= steps;
    if (this.effort.left < 0) throw new StepsExhausted();
  }

  /** Remembers a fault of the value that is being judged; it replaces those of its parts. Always false. */
  fail(expected: Expectation, found: unknown): false {
    this.expected = expected;
    this.found = found;
    this.steps.length = 0;
    return false;
  }

  /** The same for a field or an element of the value. */
  failAt(step: string | number, expected: Expectation, found: unknown): false {
    this.fail(expected, found);
    this.steps.push(step);
    return false;
  }

  /** Says that the fault lies in this field or element of the value. Always false. */
  failedWithin(step: string | number): false {
    this.steps.push(step);
    return false;
  }
}

/**
 * Judges a value. Where `seen` is not null, it notes there which fields and elements were judged; the notes count only if
 * the answer is true.
 *
 * @throws StepsExhausted
 */
export type Check = (value: unknown, run: Run, seen: Seen | null) => boolean;

/** The fields and elements of one value that schemas have judged: what `unevaluated…` leaves out. */
export class Seen {
  #everyName = false;
  #everyItem = false;
  readonly #names = new Set<string>();
  readonly #items = new Set<number>();

  name(name: string): void {
    this.#names.add(name);
  }

  everyName(): void {
    this.#everyName = true;
  }

  item(at: number): void {
    this.#items.add(at);
  }

  everyItem(): void {
    this.#everyItem = true;
  }

  hasName(name: string): boolean {
    return this.#everyName || this.#names.has(name);
  }

  hasItem(at: number): boolean {
    return this.#everyItem || this.#items.has(at);
  }

  /** Adds what a subschema noted that held. */
  add(other: Seen, run: Run): void {
    run.spend(PER_ELEMENT * (other.#names.size + other.#items.size));
    this.#everyName ||= other.#everyName;
    this.#everyItem ||= other.#everyItem;
    for (const name of other.#names) this.#names.add(name);
    for (const item of other.#items) this.#items.add(item);
  }
}
