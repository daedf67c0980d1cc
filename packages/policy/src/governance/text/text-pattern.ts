import { RE2JS } from 're2js';
import {
  automatonOf,
  newProgram,
  type Program,
  refuseLongPattern,
} from '../../arguments/compiled-programs.ts';
import { COMPILING } from '../../arguments/linear-pattern.ts';
import { endlessRoom } from '../../arguments/pattern-size.ts';
import { PatternRefused, patternToRe2 } from '../../arguments/pattern-to-re2.ts';
import { consume, type StepBudget } from '../../step-budget.ts';
import { type PatternPart, type PatternTree, patternOf, patternTree } from './pattern-tree.ts';
import { placeBoundaries } from './place-boundaries.ts';
import { requiredLiterals } from './required-literals.ts';
import { withUnicodeClasses } from './text-classes.ts';

/** A pattern over folded texts, which ignores case. All texts must be folded. */
export interface TextPattern {
  readonly source: string;
  /** The maximum number of steps that the pattern takes for each character of a text. */
  readonly size: number;
  /** Literals without case. Every match contains at least one of them. Null if none are known. */
  readonly literals: readonly string[] | null;
  /** True if the text matches. If the step budget is used up, the result is false, but not valid. */
  test(folded: string, stepBudget: StepBudget): boolean;
  /**
   * Returns all matches that are not empty, the leftmost first. Each search costs the pattern's size times the
   * length of the remaining text. Ends early if the step budget is used up.
   */
  matches(folded: string, stepBudget: StepBudget): Iterable<TextMatch>;
}

/** A match, from `start` to before `end`, in UTF-16 units. */
type TextMatch = {
  readonly start: number;
  readonly end: number;
  /** The first group of the pattern. Null if the pattern has no group, or if the match does not use the group. */
  readonly group: { readonly start: number; readonly end: number } | null;
};

/**
 * Compiles an ECMAScript pattern for folded texts, to an automaton that takes linear time. The pattern ignores case.
 * `\w` and `\d` contain characters of all scripts. `\b` also holds beside letters outside ASCII that the pattern names.
 *
 * @param room the total size that this pattern and later patterns may have; the size of this pattern is subtracted
 * @throws PatternRefused
 */
export function textPattern(source: string, room: StepBudget = endlessRoom()): TextPattern {
  refuseLongPattern(source);
  // patternToRe2 refuses patterns that are invalid or not linear, because patternTree needs a valid pattern.
  patternToRe2(source);
  const tree = placeBoundaries(refuseNoBoundary(patternTree(source), source), source);
  const rewritten = patternOf(withClasses(tree, source));
  const program = newProgram(source, rewritten, room, RE2JS.CASE_INSENSITIVE);
  const { size } = program;
  return {
    source,
    size,
    literals: requiredLiterals(tree),
    test(folded, stepBudget) {
      if (!consume(stepBudget, size * (folded.length + COMPILING))) return false;
      return automatonOf(program, stepBudget)?.test(folded) ?? false;
    },
    matches: (folded, stepBudget) => matches(program, folded, stepBudget),
  };
}

function* matches(program: Program, folded: string, stepBudget: StepBudget): Generator<TextMatch> {
  const cost = (from: number) => program.size * (folded.length - from + COMPILING);
  if (!consume(stepBudget, cost(0))) return;
  const matcher = automatonOf(program, stepBudget)?.matcher(folded);
  while (matcher?.find()) {
    const [start, end] = [matcher.start(), matcher.end()];
    if (end > start) yield { start, end, group: firstGroup(matcher) };
    if (!consume(stepBudget, cost(end))) return;
  }
}

function firstGroup(matcher: ReturnType<RE2JS['matcher']>): TextMatch['group'] {
  if (matcher.groupCount() === 0 || matcher.start(1) < 0) return null;
  return { start: matcher.start(1), end: matcher.end(1) };
}

function withClasses(tree: PatternTree, source: string): PatternTree {
  return withParts(tree, (part) => ({ ...part, source: withUnicodeClasses(part.source, source) }));
}

function refuseNoBoundary(tree: PatternTree, source: string): PatternTree {
  return withParts(tree, (part) => {
    if (part.source !== '\\B') return part;
    throw new PatternRefused(
      source,
      '\\B has no meaning outside ASCII: write the characters that may be there',
    );
  });
}

type Character = PatternPart & { readonly is: 'character' };

function withParts(tree: PatternTree, change: (part: Character) => Character): PatternTree {
  return tree.map((branch) =>
    branch.map((part) => {
      if (part.is === 'group') return { ...part, branches: withParts(part.branches, change) };
      return part.is === 'character' ? change(part) : part;
    }),
  );
}
