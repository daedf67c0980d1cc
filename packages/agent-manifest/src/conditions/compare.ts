/** Equality and order of values. Numbers of all types are equal if they have the same value. */
import type { StepBudget } from '@mandate/policy/parts';
import { isA, type Uint, type Value } from './values.ts';
import { spend, spendOnText } from './work.ts';

/** @throws EvaluationEnded if the work exceeds the budget */
export function areEqual(left: Value, right: Value, budget: StepBudget): boolean {
  const [a, b] = [plain(left), plain(right)];
  if (typeof a === 'number' || typeof a === 'bigint') {
    // biome-ignore lint/suspicious/noDoubleEquals: the exact comparison of a bigint with a number
    return (typeof b === 'number' || typeof b === 'bigint') && a == b;
  }
  if (typeof a === 'string') {
    if (typeof b === 'string') spendOnText(budget, Math.min(a.length, b.length));
    return a === b;
  }
  if (a instanceof Uint8Array) return b instanceof Uint8Array && compareBytes(a, b, budget) === 0;
  if (isA(a, 'list')) {
    if (!isA(b, 'list')) return false;
    if (a.items.length !== b.items.length) return false;
    return a.items.every((item, at) => {
      spend(budget, 1);
      return areEqual(item, b.items[at] ?? null, budget);
    });
  }
  if (isA(a, 'map')) {
    if (!isA(b, 'map') || a.size() !== b.size()) return false;
    return a.keys().every((key) => {
      spend(budget, 2);
      const [of, other] = [a.get(key), b.get(key)];
      return of !== undefined && other !== undefined && areEqual(of, other, budget);
    });
  }
  if (isA(a, 'type')) return isA(b, 'type') && a.name === b.name;
  if (isA(a, 'timestamp')) return isA(b, 'timestamp') && a.nanos === b.nanos;
  if (isA(a, 'duration')) return isA(b, 'duration') && a.nanos === b.nanos;
  return a === b;
}

/**
 * Returns a negative number, zero or a positive number. Null if CEL does not order the two types; NaN if neither value
 * is less.
 */
export function order(left: Value, right: Value, budget: StepBudget): number | null {
  const [a, b] = [plain(left), plain(right)];
  if (typeof a === 'string' && typeof b === 'string') {
    spendOnText(budget, Math.min(a.length, b.length));
    return compareTexts(a, b);
  }
  if (typeof a === 'boolean' && typeof b === 'boolean') return Number(a) - Number(b);
  if (typeof a === 'bigint' && typeof b === 'bigint') return compareInts(a, b);
  if (typeof a === 'number' || typeof a === 'bigint') {
    return typeof b === 'number' || typeof b === 'bigint' ? compareDoubles(Number(a), Number(b)) : null;
  }
  if (a instanceof Uint8Array && b instanceof Uint8Array) return compareBytes(a, b, budget);
  if (isA(a, 'timestamp') && isA(b, 'timestamp')) return compareInts(a.nanos, b.nanos);
  return isA(a, 'duration') && isA(b, 'duration') ? compareInts(a.nanos, b.nanos) : null;
}

/** An unsigned integer compares by its value. */
function plain(value: Value): Exclude<Value, Uint> {
  return isA(value, 'uint') ? value.value : value;
}

function compareInts(a: bigint, b: bigint): number {
  return a < b ? -1 : Number(a > b);
}

function compareDoubles(a: number, b: number): number {
  if (Number.isNaN(a) || Number.isNaN(b)) return Number.NaN;
  return a < b ? -1 : Number(a > b);
}

/** Orders by code points. UTF-16 would put emoji before some letters. */
function compareTexts(a: string, b: string): number {
  if (a === b) return 0;
  let at = 0;
  while (at < a.length && a[at] === b[at]) at += 1;
  return codePointOrder(a.charCodeAt(at)) - codePointOrder(b.charCodeAt(at));
}

/** Sorts surrogates, which stand for the highest code points, after all other units. NaN marks the end of a text. */
function codePointOrder(unit: number): number {
  if (Number.isNaN(unit)) return -1;
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}

function compareBytes(a: Uint8Array, b: Uint8Array, budget: StepBudget): number {
  spendOnText(budget, Math.min(a.length, b.length));
  const at = a.findIndex((byte, index) => byte !== b[index]);
  if (at < 0) return a.length - b.length;
  return (a[at] ?? 0) - (b[at] ?? -1);
}
