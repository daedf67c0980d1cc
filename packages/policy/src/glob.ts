import { type Glob, matches, parseGlob } from './glob-pattern.ts';
import { type LiteralAutomaton, ROOT, START, step, type Trie, trie } from './literal-automaton.ts';

/**
 * Returns the first pattern in the list that matches the name, or null. A match takes at most `steps` steps for each
 * character of a name.
 */
export type GlobMatcher = ((name: string) => string | null) & { readonly steps: number };

/**
 * Up to this many patterns are tried one by one, because most patterns fail at the first letter of a name. More
 * patterns are tried together. With 10 globs a name takes 110 ns one by one and 220 ns together. With 1,000 globs it
 * takes 8,000 ns one by one and 150 ns together.
 */
const FEW = 8;

/**
 * Compiles a list of globs into one matcher. The matcher returns the first pattern, in list order, that matches a
 * name.
 *
 * Only `*` is special: it matches any run of characters, including the empty run, dots, slashes and line breaks.
 * Every other character matches itself, with case, compared by UTF-16 code unit. An empty list matches nothing.
 *
 * A name is matched in time linear in its length. Each pattern of two literals or more (`a*b`, `*a*b*`) takes one
 * more linear pass if the name has the pattern's beginning, or its end if it has no beginning. Names, `prefix*`,
 * `*suffix` and `*inside*` take one pass together, however many there are. Nothing is cached between calls, so a new
 * name costs the same as a known one.
 */
export function compileGlobs(patterns: readonly string[]): GlobMatcher {
  const globs = patterns.map(parseGlob);
  const matcher = globs.length <= FEW ? oneByOne(globs) : together(globs);
  return Object.assign(matcher, { steps: stepsOf(globs) });
}

/**
 * Returns the steps for each character of a name. The common pass of all patterns costs one step. Every four patterns
 * that need a pass of their own cost one more step.
 */
function stepsOf(globs: readonly Glob[]): number {
  const passes =
    globs.length <= FEW
      ? globs
      : globs.filter(({ head, middles, tail }) => literals(head, middles, tail) > 1);
  return 1 + Math.ceil(passes.length / 4);
}

function literals(head: string, { length }: Glob['middles'], tail: string | null): number {
  return Number(head !== '') + length + Number(tail !== null && tail !== '');
}

type Matcher = (name: string) => string | null;

function oneByOne(globs: readonly Glob[]): Matcher {
  return (name) => {
    for (const glob of globs) if (matches(glob, name)) return glob.pattern;
    return null;
  };
}

function together(globs: readonly Glob[]): Matcher {
  const { automaton, passing, ending } = compileList(globs);

  return (name) => {
    let state = START;
    let first = globs.length;
    if ((passing.lowest[state] as number) < first) first = foundAt(passing, state, name, first);
    for (let at = 0; at < name.length; at += 1) {
      state = step(automaton, state, name.charCodeAt(at));
      if ((passing.lowest[state] as number) < first) first = foundAt(passing, state, name, first);
    }
    if ((ending.lowest[state] as number) < first) {
      for (; state !== ROOT; state = automaton.suffixes[state] as number) {
        first = foundAt(ending, state, name, first);
      }
    }
    return globs[first]?.pattern ?? null;
  };
}

/**
 * For each state of the automaton, the patterns that are found there, by their index in the list. An index equal to
 * the number of patterns means that none is found.
 */
type Met = {
  /** For each state, the first pattern that may match. Patterns of the state's suffixes are included. */
  lowest: Int32Array;
  /** For each state, the first pattern that certainly matches, because it has only one literal. */
  certain: Int32Array;
  /**
   * For each state, the patterns with two or more literals, in list order. The state shows only that one literal was
   * found, so the whole pattern must still be tested.
   */
  tests: (Glob[] | undefined)[];
};

/**
 * `passing`: patterns found when a name passes a state. `ending`: patterns found only if the name ends at the state.
 */
type CompiledList = { automaton: LiteralAutomaton; passing: Met; ending: Met };

function compileList(globs: readonly Glob[]): CompiledList {
  const literals = trie();
  const places = globs.map((glob) => placeOf(glob, literals));
  const { automaton, inOrder } = literals.compile();
  const passing = nothingMet(inOrder.length, globs.length);
  const ending = nothingMet(inOrder.length, globs.length);
  for (const [index, { state, atEnd, certain }] of places.entries()) {
    const met = atEnd ? ending : passing;
    lower(met.lowest, state, index);
    if (certain) lower(met.certain, state, index);
    else testsAt(met, state).push(globs[index] as Glob);
  }
  for (const state of inOrder) {
    const suffix = automaton.suffixes[state] as number;
    for (const { lowest, certain } of [passing, ending]) {
      lower(lowest, state, lowest[suffix] as number);
      lower(certain, state, certain[suffix] as number);
    }
  }
  return { automaton, passing, ending };
}

function nothingMet(states: number, none: number): Met {
  const lowest = new Int32Array(states).fill(none);
  return { lowest, certain: lowest.slice(), tests: new Array(states).fill(undefined) };
}

function testsAt({ tests }: Met, state: number): Glob[] {
  tests[state] ??= [];
  return tests[state];
}

function lower(lowest: Int32Array, state: number, index: number): void {
  if (index < (lowest[state] as number)) lowest[state] = index;
}

/**
 * Returns the first pattern before `bound` that is found at the state and matches. Returns `bound` if there is none.
 */
function foundAt({ certain, tests }: Met, state: number, name: string, bound: number): number {
  const first = Math.min(certain[state] as number, bound);
  const globs = tests[state];
  if (globs === undefined) return first;
  for (const glob of globs) {
    if (glob.index >= first) return first;
    if (matches(glob, name)) return glob.index;
  }
  return first;
}

/**
 * The state at which a pattern is found. `certain`: the pattern needs no further test, because it consists of this
 * literal and stars.
 */
type Place = { state: number; atEnd: boolean; certain: boolean };

function placeOf({ head, middles, tail }: Glob, literals: Trie): Place {
  if (tail === null) return { state: literals.add(head, true), atEnd: true, certain: true };
  if (head !== '') {
    const certain = middles.length === 0 && tail === '';
    return { state: literals.add(head, true), atEnd: false, certain };
  }
  if (tail !== '') return { state: literals.add(tail, false), atEnd: true, certain: middles.length === 0 };
  if (middles.length > 1) return { state: START, atEnd: false, certain: false };
  return { state: literals.add(middles[0]?.text ?? '', false), atEnd: false, certain: true };
}
