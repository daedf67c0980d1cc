/** Tests text patterns against the cases of the topic `pattern`. */
import { foldText, PatternRefused, stepBudgetOfAction, textPattern } from '@mandate/policy/governance';
import { describe, expect, test } from 'vitest';
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
