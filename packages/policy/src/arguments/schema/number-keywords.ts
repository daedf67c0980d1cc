import type { KeywordCompiler } from './keyword-compiler.ts';
import { multipleOf } from './multiple-of.ts';
import type { Check, Run } from './run.ts';

export const NUMBER_KEYWORDS = {
  multipleOf: (step: number) => numberCheck(multipleOf(step), `a multiple of ${step}`),
  maximum: (limit: number) => numberCheck((value) => value <= limit, `at most ${limit}`),
  exclusiveMaximum: (limit: number) => numberCheck((value) => value < limit, `less than ${limit}`),
  minimum: (limit: number) => numberCheck((value) => value >= limit, `at least ${limit}`),
  exclusiveMinimum: (limit: number) => numberCheck((value) => value > limit, `more than ${limit}`),
} satisfies Record<string, KeywordCompiler>;

function numberCheck(holds: (value: number, run: Run) => boolean, expected: string): Check {
  return (value, run) => holds(value as number, run) || run.fail(expected, value);
}
