import type { StepBudget } from '../../step-budget.ts';
import type { TextPattern } from './text-pattern.ts';

/** Each visible character of ASCII, letters of other scripts, and a character that no pattern names. */
const SHORT = [
  '\ue000',
  ...Array.from({ length: 94 }, (_, at) => String.fromCharCode(0x21 + at)),
  'é',
  'я',
  '歳',
  '😀',
];
/** Longer than any number of repeats. */
const LONG = ['\ue000', 'a', '歳'].map((character) => character.repeat(1_001));

/**
 * True if the pattern matches every text, except perhaps the empty text. Such a pattern is probably a mistake: an
 * intent with the pattern `.*` wins most prompts. The function tries texts that have little in common.
 */
export function matchesEveryText(pattern: TextPattern): boolean {
  const stepBudget: StepBudget = { left: Number.POSITIVE_INFINITY };
  return [...SHORT, ...LONG].every((text) => pattern.test(text, stepBudget));
}
