import { canonicalJson } from '../../digest.ts';
import { shorten } from '../argument-fault.ts';
import type { KeywordCompiler } from './keyword-compiler.ts';
import type { Check } from './run.ts';

/**
 * The keywords `enum` and `const`. Numbers are compared by value. The order of an object's fields does not matter.
 */
export const VALUE_KEYWORDS = {
  const: (value: unknown) => oneOf([value], JSON.stringify(value)),
  enum: (values: readonly unknown[]) =>
    oneOf(values, `one of ${values.map((value) => JSON.stringify(value)).join(', ')}`),
} satisfies Record<string, KeywordCompiler>;

function oneOf(values: readonly unknown[], text: string): Check {
  const expected = shorten(text, 200);
  const simple = new Set(values.filter((value) => !isCompound(value)));
  const compound = new Set(values.filter(isCompound).map(canonicalJson));
  return (value, run) => {
    const holds =
      compound.size > 0 && isCompound(value) ? compound.has(counted(value, run)) : simple.has(value);
    return holds || run.fail(expected, value);
  };
}

function isCompound(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}

function counted(value: unknown, run: { spend(steps: number): void }): string {
  const text = canonicalJson(value);
  run.spend(text.length);
  return text;
}
