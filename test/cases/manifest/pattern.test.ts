/** Tests text patterns against the cases of the topic `pattern`. */
import { describe, expect, test } from 'vitest';
import { PatternRefused } from '../../../packages/policy/src/arguments/pattern-to-re2.ts';
import { foldText } from '../../../packages/policy/src/governance/text/fold.ts';
import { textPattern } from '../../../packages/policy/src/governance/text/text-pattern.ts';
import { stepBudgetOfAction } from '../../../packages/policy/src/step-budget.ts';
import { manifestCases } from './manifest-cases.ts';

type When = { readonly pattern: string; readonly text: string };
type Then = { readonly matches?: boolean; readonly error?: string };

const CASES = manifestCases<object, When, Then>('s0-cases').filter(({ topic }) => topic === 'pattern');

describe('patterns over texts', () => {
  test.each(CASES)('$id', ({ when, then }) => {
    if (then.error === undefined) {
      expect(textPattern(when.pattern).test(foldText(when.text), stepBudgetOfAction())).toBe(then.matches);
    } else {
      expect(then.error).toBe('PATTERN_REFUSED');
      expect(() => textPattern(when.pattern)).toThrow(PatternRefused);
    }
  });

  test('there are cases', () => {
    expect(CASES.length).toBeGreaterThan(0);
  });
});
