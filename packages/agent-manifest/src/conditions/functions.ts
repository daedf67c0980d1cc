/** The functions and methods of CEL that an expression may call, by name. */
import type { StepBudget } from '@mandate/policy/parts';
import { TIME_METHODS } from './calendar.ts';
import { CONVERSIONS } from './conversions.ts';
import { matchesPattern } from './linear-match.ts';
import type { Operation, Written } from './operation.ts';
import { isA, type Result, type Value } from './values.ts';
import { spend, spendOnText } from './work.ts';

/** The number of characters that a search compares for one unit of work. */
const COMPARISONS_PER_UNIT = 64;

/** A function with the possible numbers of its arguments. */
export type Callable = Operation & { readonly leastArguments: number; readonly mostArguments: number };

/** Functions, as in `size(x)`. */
export const FUNCTIONS: ReadonlyMap<string, Callable> = callables({
  ...CONVERSIONS,
  size: { arguments: [1], run: ([value = null], budget) => sizeOf(value, budget) },
});

/** Methods, as in `x.size()`. The target is the first operand. */
export const METHODS: ReadonlyMap<string, Callable> = callables({
  ...TIME_METHODS,
  size: { arguments: [0], run: ([value = null], budget) => sizeOf(value, budget) },
  contains: text((target, part, budget) => {
    // In the worst case, the search compares the whole searched text at every position.
    spend(budget, Math.ceil((target.length * Math.max(1, part.length)) / COMPARISONS_PER_UNIT));
    return target.includes(part);
  }),
  startsWith: text((target, part, budget) => {
    spendOnText(budget, part.length);
    return target.startsWith(part);
  }),
  endsWith: text((target, part, budget) => {
    spendOnText(budget, part.length);
    return target.endsWith(part);
  }),
  matches: text((target, pattern, budget) => matchesPattern(pattern, target, budget)),
});

function callables(written: Readonly<Record<string, Written>>): ReadonlyMap<string, Callable> {
  return new Map(
    Object.entries(written).map(([name, { arguments: counts, run }]) => [
      name,
      { name: `${name}()`, run, leastArguments: Math.min(...counts), mostArguments: Math.max(...counts) },
    ]),
  );
}

function text(run: (target: string, part: string, budget: StepBudget) => Result): Written {
  return {
    arguments: [1],
    run: ([target = null, part = null], budget) =>
      typeof target === 'string' && typeof part === 'string' ? run(target, part, budget) : undefined,
  };
}

/** The size of a text is its number of code points. */
function sizeOf(value: Value, budget: StepBudget): bigint | undefined {
  if (typeof value === 'string') {
    spend(budget, Math.ceil(value.length / 4));
    let size = 0;
    for (const _ of value) size += 1;
    return BigInt(size);
  }
  if (value instanceof Uint8Array) return BigInt(value.length);
  if (isA(value, 'list')) return BigInt(value.items.length);
  return isA(value, 'map') ? BigInt(value.size()) : undefined;
}
