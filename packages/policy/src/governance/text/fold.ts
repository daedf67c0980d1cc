import { consume, type StepBudget } from '../../step-budget.ts';

const INVISIBLE = /\p{Cf}+/gu;
const SINGLE_QUOTES = /[\u2018\u2019\u201b\u02bc]/g;
const DOUBLE_QUOTES = /[\u201c\u201d]/g;
const BLANKS = /\p{White_Space}+/gu;

/**
 * Returns the text in one spelling, so that keywords and patterns find what a reader sees. Compatibility forms
 * (full-width letters) become plain, invisible characters disappear, curly quotes become straight, and each run of
 * white space becomes one blank. Letters keep their case. Folding a folded text changes nothing.
 *
 * Folding costs the length of the text before and after: some characters fold to 18 others.
 *
 * @returns an empty text if the step budget is used up; `stepBudget.left` is below 0 then
 */
export function fold(text: string, stepBudget: StepBudget): string {
  if (!consume(stepBudget, text.length)) return '';
  const folded = foldText(text);
  return consume(stepBudget, folded.length) ? folded : '';
}

/** Such texts do not change. They are most keywords, and a policy may have thousands. */
const FOLDED = /^[!-~]+(?: [!-~]+)*$/;

/** Folds a text of a document, which costs no action anything. */
export function foldText(text: string): string {
  if (FOLDED.test(text)) return text;
  // The text is normalized twice. An invisible character can keep a letter from its accent, so that only the second
  // normalization joins them.
  return text
    .normalize('NFKC')
    .replace(INVISIBLE, '')
    .normalize('NFKC')
    .replace(SINGLE_QUOTES, "'")
    .replace(DOUBLE_QUOTES, '"')
    .replace(BLANKS, ' ')
    .replace(/^ | $/g, '');
}
