import { ROOT, step, trie } from '../../literal-automaton.ts';
import { pushTo } from '../../push-to.ts';
import { consume, type StepBudget } from '../../step-budget.ts';

/** What a caller does with an occurrence takes about as long as twenty steps of a pattern. */
const STEPS_OF_OCCURRENCE = 20;

/** Receives an occurrence: the index of the literal in the list, and its span in the text. */
type OnLiteral = (literal: number, start: number, end: number) => void;

export interface LiteralFinder {
  /**
   * Finds all occurrences of all literals, in the order of their ends. This costs two steps for each character, and
   * twenty for each occurrence. False if the step budget is used up.
   */
  find(text: string, stepBudget: StepBudget, onLiteral: OnLiteral): boolean;
}

/** @param literals none of them is empty; if literals are equal, each of them is reported */
export function literalFinder(literals: readonly string[]): LiteralFinder {
  const tree = trie();
  const endingAt = new Map<number, number[]>();
  for (const [index, literal] of literals.entries()) {
    pushTo(endingAt, tree.add(literal, false), index);
  }
  const { automaton, inOrder } = tree.compile();
  /** For each state, the state itself if a literal ends there. Otherwise its longest suffix at which a literal ends. */
  const nearest = new Int32Array(automaton.suffixes.length);
  for (const state of endingAt.keys()) nearest[state] = state;
  for (const state of inOrder)
    if (nearest[state] === ROOT) nearest[state] = nearest[automaton.suffixes[state] ?? ROOT] ?? ROOT;
  return {
    find(text, stepBudget, onLiteral) {
      if (!consume(stepBudget, text.length * 2)) return false;
      let state = ROOT;
      for (let at = 0; at < text.length; at += 1) {
        state = step(automaton, state, text.charCodeAt(at));
        let ending = nearest[state] ?? ROOT;
        while (ending !== ROOT) {
          for (const literal of endingAt.get(ending) ?? []) {
            if (!consume(stepBudget, STEPS_OF_OCCURRENCE)) return false;
            onLiteral(literal, at + 1 - (literals[literal]?.length ?? 0), at + 1);
          }
          ending = nearest[automaton.suffixes[ending] ?? ROOT] ?? ROOT;
        }
      }
      return true;
    },
  };
}
