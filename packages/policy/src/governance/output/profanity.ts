import type { StepBudget } from '../../step-budget.ts';
import { foldText } from '../text/fold.ts';
import { literalFinder } from '../text/literal-finder.ts';
import { standsAlone } from '../text/parted.ts';
import { withoutCase } from '../text/without-case.ts';
import { foldInPlace } from './fold-in-place.ts';
import type { FindPieces } from './output-filter.ts';

/** Finds the words of a list as whole words. Case and what folding removes do not matter. */
export function profanityFinder(words: readonly string[]): FindPieces {
  const folded = [...new Set(words.map((word) => withoutCase(foldText(word))))];
  const finder = literalFinder(folded.filter((word) => word !== ''));
  return (text: string, stepBudget: StepBudget) => {
    const inPlace = foldInPlace(text);
    const found: { type: string; start: number; end: number }[] = [];
    finder.find(withoutCase(inPlace.folded), stepBudget, (_word, start, end) => {
      if (standsAlone(inPlace.folded, start, end))
        found.push({ type: 'profanity', ...inPlace.placeOf(start, end) });
    });
    return found;
  };
}
