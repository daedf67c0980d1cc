/** Makes JSON data from values of CEL, so that no bigint and no time reaches the log. */
import type { StepBudget } from '@mandate/policy/parts';
import type { Json } from '@mandate/schemas';
import { textOfDuration, textOfTimestamp } from './calendar.ts';
import { isA, typeOf, type Value } from './values.ts';
import { EvaluationEnded, spend, spendOnText } from './work.ts';

/** @throws EvaluationEnded if the value is not JSON, or too large */
export function jsonOfValue(value: Value, budget: StepBudget): Json {
  spend(budget, 1);
  if (value === null || typeof value === 'boolean') return value;
  if (typeof value === 'string') {
    spendOnText(budget, value.length);
    return value;
  }
  if (typeof value === 'number') return finite(value);
  if (typeof value === 'bigint') return exact(value);
  if (isA(value, 'uint')) return exact(value.value);
  if (isA(value, 'timestamp')) return textOfTimestamp(value);
  if (isA(value, 'duration')) return textOfDuration(value);
  if (isA(value, 'list')) return value.items.map((item) => jsonOfValue(item, budget));
  if (!isA(value, 'map')) throw new EvaluationEnded(`a value of ${typeOf(value)} is no JSON`);
  return Object.fromEntries(
    value.keys().map((key) => {
      if (typeof key !== 'string') throw new EvaluationEnded('a map has a key that is no text');
      spendOnText(budget, key.length);
      return [key, jsonOfValue(value.get(key) ?? null, budget)];
    }),
  );
}

function finite(value: number): number {
  if (Number.isFinite(value)) return value;
  throw new EvaluationEnded(`${value} is no JSON`);
}

function exact(value: bigint): number {
  const number = Number(value);
  if (Number.isSafeInteger(number)) return number;
  throw new EvaluationEnded(`${value} is too large for JSON: convert it with string()`);
}
