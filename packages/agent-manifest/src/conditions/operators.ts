/** The operators of CEL, under the names that the parser uses. `&&`, `||` and `?:` are in evaluate.ts. */
import type { StepBudget } from '@mandate/policy/parts';
import { addTimes, subtractTimes } from './calendar.ts';
import { areEqual, order } from './compare.ts';
import type { Operation } from './operation.ts';
import { failure, isA, list, type Result, type Value } from './values.ts';
import { spend, spendOnBytes, spendOnText } from './work.ts';

const LEAST_INT = -(2n ** 63n);
const MOST_INT = 2n ** 63n - 1n;
const MOST_UINT = 2n ** 64n - 1n;

export const OPERATORS: ReadonlyMap<string, Operation> = new Map(
  Object.entries({
    '_==_': binary('==', (a, b, budget) => areEqual(a, b, budget)),
    '_!=_': binary('!=', (a, b, budget) => !areEqual(a, b, budget)),
    '_<_': ordered('<', (sign) => sign < 0),
    '_<=_': ordered('<=', (sign) => sign <= 0),
    '_>_': ordered('>', (sign) => sign > 0),
    '_>=_': ordered('>=', (sign) => sign >= 0),
    '@in': binary('in', isIn),
    '_[_]': binary('[]', itemAt),
    '_+_': binary('+', add),
    '_-_': binary('-', (a, b) => numeric(a, b, (x, y) => x - y, doubles.subtract) ?? subtractTimes(a, b)),
    '_*_': binary('*', (a, b) => numeric(a, b, (x, y) => x * y, doubles.multiply)),
    '_/_': binary('/', (a, b) => numeric(a, b, (x, y) => (y === 0n ? null : x / y), doubles.divide)),
    '_%_': binary('%', (a, b) => numeric(a, b, (x, y) => (y === 0n ? null : x % y), null)),
    '-_': {
      name: '-',
      run: ([a = null]) => {
        if (typeof a === 'number') return -a;
        return typeof a === 'bigint' ? toInt(-a) : undefined;
      },
    },
    '!_': { name: '!', run: ([a = null]) => (typeof a === 'boolean' ? !a : undefined) },
  }),
);

type Binary = (a: Value, b: Value, budget: StepBudget) => Result | undefined;

function binary(name: string, run: Binary): Operation {
  return { name, run: ([a = null, b = null], budget) => run(a, b, budget) };
}

function ordered(name: string, holds: (sign: number) => boolean): Operation {
  return binary(name, (a, b, budget) => {
    const sign = order(a, b, budget);
    return sign === null ? undefined : holds(sign);
  });
}

const doubles = {
  subtract: (a: number, b: number) => a - b,
  multiply: (a: number, b: number) => a * b,
  divide: (a: number, b: number) => a / b,
};

/**
 * Operands of different types have no result: an int and a double can be compared, but not added.
 *
 * @param integers the result of two integers; null for a division by zero
 */
function numeric(
  a: Value,
  b: Value,
  integers: (a: bigint, b: bigint) => bigint | null,
  ofDoubles: ((a: number, b: number) => number) | null,
): Result | undefined {
  if (typeof a === 'number' && typeof b === 'number') return ofDoubles?.(a, b);
  if (typeof a === 'bigint' && typeof b === 'bigint') return within(integers(a, b), toInt);
  if (isA(a, 'uint') && isA(b, 'uint')) return within(integers(a.value, b.value), toUint);
  return undefined;
}

function within(result: bigint | null, checked: (value: bigint) => Result): Result {
  return result === null ? failure('a whole number is divided by zero') : checked(result);
}

export function toInt(value: bigint): Result {
  return value >= LEAST_INT && value <= MOST_INT ? value : failure('the int is outside of 64 bits');
}

export function toUint(value: bigint): Result {
  return value >= 0n && value <= MOST_UINT
    ? { is: 'uint', value }
    : failure('the uint is outside of 64 bits');
}

function add(a: Value, b: Value, budget: StepBudget): Result | undefined {
  if (typeof a === 'string' && typeof b === 'string') {
    spendOnText(budget, a.length + b.length);
    return a + b;
  }
  if (a instanceof Uint8Array && b instanceof Uint8Array) {
    spendOnBytes(budget, a.length + b.length);
    const both = new Uint8Array(a.length + b.length);
    both.set(a);
    both.set(b, a.length);
    return both;
  }
  if (isA(a, 'list') && isA(b, 'list')) {
    spend(budget, a.items.length + b.items.length);
    return list([...a.items, ...b.items]);
  }
  return (
    numeric(
      a,
      b,
      (x, y) => x + y,
      (x, y) => x + y,
    ) ?? addTimes(a, b)
  );
}

function isIn(value: Value, container: Value, budget: StepBudget): boolean | undefined {
  if (isA(container, 'list')) return container.items.some((item) => isItem(item, value, budget));
  return isA(container, 'map') && canBeKey(value) ? container.get(value) !== undefined : undefined;
}

function isItem(item: Value, value: Value, budget: StepBudget): boolean {
  spend(budget, 1);
  return areEqual(item, value, budget);
}

function canBeKey(value: Value): boolean {
  return ['string', 'boolean', 'number', 'bigint'].includes(typeof value) || isA(value, 'uint');
}

function itemAt(container: Value, key: Value): Result | undefined {
  if (isA(container, 'list')) {
    const at = wholeNumber(key);
    if (at === null) return undefined;
    const item = at < 0 ? undefined : container.items[at];
    return item === undefined ? failure(`the list has no item ${at}`) : item;
  }
  if (!isA(container, 'map')) return undefined;
  const value = container.get(key);
  return value === undefined ? failure('the map has no such key') : value;
}

function wholeNumber(key: Value): number | null {
  const value = isA(key, 'uint') ? key.value : key;
  if (typeof value === 'bigint') return Number(value);
  return typeof value === 'number' && Number.isInteger(value) ? value : null;
}
