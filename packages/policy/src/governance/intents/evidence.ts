import { pushTo } from '../../push-to.ts';
import { consume, type StepBudget } from '../../step-budget.ts';
import { foldText } from '../text/fold.ts';
import { literalFinder } from '../text/literal-finder.ts';
import { standsAlone } from '../text/parted.ts';
import { type TextPattern, textPattern } from '../text/text-pattern.ts';
import { withoutCase } from '../text/without-case.ts';
import type { IntentFields } from './intents-document.ts';

/** The evidence for an intent in a folded text: the longest match of its keywords and patterns. */
export interface Evidence {
  readonly by: 'keyword' | 'pattern';
  /** The keyword or pattern as the manifest has it. */
  readonly trigger: string;
  /** In characters. */
  readonly length: number;
  /** In UTF-16 units of the folded text. */
  readonly start: number;
  readonly end: number;
}

/** Returns the evidence for each intent, by the index of the intent. Null if the step budget is used up. */
export type FindEvidence = (folded: string, stepBudget: StepBudget) => ReadonlyMap<number, Evidence> | null;

type Keyword = {
  readonly intent: number;
  readonly order: number;
  readonly trigger: string;
  readonly length: number;
};
type Pattern = { readonly intent: number; readonly pattern: TextPattern };

/**
 * One pass over the text finds all keywords, and the literals that patterns require. A pattern runs only if the text
 * contains one of its literals.
 */
export function compileEvidence(intents: readonly IntentFields[], room: StepBudget): FindEvidence {
  const literals: string[] = [];
  /** For each literal, the keywords and patterns that it belongs to. */
  const keywords = new Map<number, Keyword[]>();
  const patternsOf = new Map<number, Pattern[]>();
  const patterns: Pattern[] = [];
  const placeOf = new Map<string, number>();
  const literalAt = (literal: string) => {
    const known = placeOf.get(literal);
    if (known !== undefined) return known;
    placeOf.set(literal, literals.length);
    return literals.push(literal) - 1;
  };
  for (const [intent, { triggers }] of intents.entries()) {
    for (const [order, trigger] of (triggers.keywords ?? []).entries()) {
      const folded = foldText(trigger);
      if (folded === '') continue;
      pushTo(keywords, literalAt(withoutCase(folded)), {
        intent,
        order,
        trigger,
        length: [...folded].length,
      });
    }
    for (const source of triggers.patterns ?? []) {
      const pattern = { intent, pattern: textPattern(source, room) };
      patterns.push(pattern);
      for (const literal of pattern.pattern.literals ?? []) pushTo(patternsOf, literalAt(literal), pattern);
    }
  }
  const finder = literalFinder(literals);
  return (folded, stepBudget) => {
    const best = new Map<number, Evidence & { order: number }>();
    const mayMatch = new Set<Pattern>();
    /** The literals that were found as whole words. Finding them again gives no better evidence. */
    const known = new Set<number>();
    const complete = finder.find(withoutCase(folded), stepBudget, (literal, start, end) => {
      if (known.has(literal)) return;
      for (const pattern of patternsOf.get(literal) ?? []) mayMatch.add(pattern);
      const named = keywords.get(literal) ?? [];
      if (named.length === 0 || !standsAlone(folded, start, end)) return;
      known.add(literal);
      consume(stepBudget, named.length);
      for (const { intent, ...keyword } of named) {
        const found = { by: 'keyword' as const, ...keyword, start, end };
        if (isBetter(found, best.get(intent))) best.set(intent, found);
      }
    });
    if (!complete || stepBudget.left < 0) return null;
    for (const candidate of patterns) {
      const { intent, pattern } = candidate;
      if (pattern.literals !== null && !mayMatch.has(candidate)) continue;
      for (const { start, end } of pattern.matches(folded, stepBudget)) {
        const { length } = [...folded.slice(start, end)];
        const found = { by: 'pattern' as const, trigger: pattern.source, length, start, end };
        if (length > (best.get(intent)?.length ?? 0)) best.set(intent, { ...found, order: 0 });
      }
      if (stepBudget.left < 0) return null;
    }
    return best;
  };
}

type Found = Evidence & { readonly order: number };

/** The longest keyword is the best, then the first in the manifest, then the leftmost in the text. */
function isBetter(one: Found, other: Found | undefined): boolean {
  if (other === undefined || one.length !== other.length) return one.length > (other?.length ?? 0);
  return one.order < other.order;
}
