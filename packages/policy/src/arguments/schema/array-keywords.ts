import type { KeywordCompiler } from './keyword-compiler.ts';
import type { Members } from './keywords.ts';
import { type Check, PER_ELEMENT, type Run, type Seen } from './run.ts';
import { uniqueItems } from './unique-items.ts';

export const ARRAY_KEYWORDS = {
  minItems: (least: number): Check => {
    const expected = `at least ${elements(least)}`;
    return (value, run) => lengthOf(value) >= least || run.fail(expected, value);
  },
  maxItems: (most: number): Check => {
    const expected = `at most ${elements(most)}`;
    return (value, run) => lengthOf(value) <= most || run.fail(expected, value);
  },
  uniqueItems: (wanted: boolean): Check | null => (wanted ? uniqueItems : null),
  prefixItems: (first: readonly unknown[], { schema, compiler }): Check =>
    eachItem(
      first.map((part) => compiler.compile(part)),
      Object.hasOwn(schema, 'items') ? compiler.compile(schema.items) : null,
    ),
  items: (items: unknown, { schema, compiler }): Check | null => {
    if (Array.isArray(items)) {
      const rest = Object.hasOwn(schema, 'additionalItems') ? compiler.compile(schema.additionalItems) : null;
      return eachItem(
        items.map((part) => compiler.compile(part)),
        rest,
      );
    }
    // If `prefixItems` exists, null is returned here, because the check of `prefixItems` also applies `items` to the
    // remaining elements.
    return Object.hasOwn(schema, 'prefixItems') ? null : eachItem([], compiler.compile(items));
  },
  contains: (part: unknown, { schema, compiler }): Check => contains(compiler.compile(part), schema),
} satisfies Record<string, KeywordCompiler>;

/** Checks each of the first elements with its own check, and every later element with `rest`. */
function eachItem(first: readonly Check[], rest: Check | null): Check {
  return (value, run, seen) => {
    const items = value as readonly unknown[];
    const count = rest === null ? Math.min(first.length, items.length) : items.length;
    run.spend(PER_ELEMENT * count);
    for (let at = 0; at < count; at += 1) {
      const check = first[at] ?? rest;
      if (check !== null && !check(items[at], run, null)) return run.failedWithin(at);
      if (rest === null) seen?.item(at);
    }
    if (rest !== null) seen?.everyItem();
    return true;
  };
}

function contains(check: Check, { minContains = 1, maxContains }: Members): Check {
  const least = Number(minContains);
  const most = Number(maxContains ?? Number.POSITIVE_INFINITY);
  const expected =
    most === Number.POSITIVE_INFINITY
      ? `at least ${elements(least)} of the kind that contains asks for`
      : `${least} to ${elements(most)} of the kind that contains asks for`;
  return (value, run, seen) => {
    const items = value as readonly unknown[];
    const found = countMatching(items, check, {
      run,
      seen,
      enough: most === Number.POSITIVE_INFINITY ? least : most + 1,
    });
    return (found >= least && found <= most) || run.fail(expected, value);
  };
}

/**
 * Counts the elements that pass the check. Stops after `enough` such elements, unless `seen` must record all of them.
 */
function countMatching(
  items: readonly unknown[],
  check: Check,
  { run, seen, enough }: { run: Run; seen: Seen | null; enough: number },
): number {
  let found = 0;
  for (const [at, item] of items.entries()) {
    if (found >= enough && seen === null) break;
    run.spend(PER_ELEMENT);
    if (!check(item, run, null)) continue;
    found += 1;
    seen?.item(at);
  }
  return found;
}

function lengthOf(value: unknown): number {
  return (value as readonly unknown[]).length;
}

function elements(count: number): string {
  return count === 1 ? '1 element' : `${count} elements`;
}
