/** The state of one validation of one value: the step budget that is left, and the fault that was found. */
import type { StepBudget } from '../../step-budget.ts';

/**
 * The value that a keyword expects. Completes the phrase "expected …". The text for a single field does not contain
 * the field's name.
 */
export type Expectation = string;

/** Thrown if validation would exceed the step budget. */
export class StepsExhausted extends Error {
  constructor() {
    super('it takes too many steps to judge');
    this.name = 'StepsExhausted';
  }
}

/**
 * The cost of each keyword, and of each element, field or reference that the keyword reads. The unit is one step of a
 * pattern for one character.
 */
export const PER_KEYWORD = 8;
export const PER_ELEMENT = 8;

export class Run {
  expected: Expectation = '';
  found: unknown = undefined;
  /** The path to the fault, innermost step first. Each check that fails adds its step when it returns. */
  readonly steps: (string | number)[] = [];
  readonly stepBudget: StepBudget;

  constructor(stepBudget: StepBudget) {
    this.stepBudget = stepBudget;
  }

  spend(steps: number): void {
    this.stepBudget.left -= steps;
    if (this.stepBudget.left < 0) throw new StepsExhausted();
  }

  /** Records a fault of the current value. It replaces recorded faults of the value's parts. Always returns false. */
  fail(expected: Expectation, found: unknown): false {
    this.expected = expected;
    this.found = found;
    this.steps.length = 0;
    return false;
  }

  /** Records a fault of a field or an element of the current value. Always returns false. */
  failAt(step: string | number, expected: Expectation, found: unknown): false {
    this.fail(expected, found);
    this.steps.push(step);
    return false;
  }

  /** Adds this field or element to the path of the recorded fault. Always returns false. */
  failedWithin(step: string | number): false {
    this.steps.push(step);
    return false;
  }
}

/**
 * Checks a value. True if the value passes. If `seen` is not null, the check records in it which fields and elements
 * it checked. These records count only if the result is true.
 *
 * @throws StepsExhausted
 */
export type Check = (value: unknown, run: Run, seen: Seen | null) => boolean;

/** The fields and elements of one value that schemas have checked. The `unevaluated…` keywords skip them. */
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

  /** Adds what a subschema checked, if it accepted the value. */
  add(other: Seen, run: Run): void {
    run.spend(PER_ELEMENT * (other.#names.size + other.#items.size));
    this.#everyName ||= other.#everyName;
    this.#everyItem ||= other.#everyItem;
    for (const name of other.#names) this.#names.add(name);
    for (const item of other.#items) this.#items.add(item);
  }
}
