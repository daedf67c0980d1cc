import { type Glob, matches, parseGlob } from './glob-pattern.ts';
import { type LiteralAutomaton, ROOT, START, step, type Trie, trie } from './literal-automaton.ts';

/** Returns the first pattern of its list that matches, or null. `steps`: the most steps for one character of a name. */
export type GlobMatcher = ((name: string) => string | null) & { readonly steps: number };

/**
 * Up to this many patterns are tried one by one, because most patterns fail at the first letter of a name. More patterns are
 * tried together. A name takes 110 ns one by one and 220 ns together with 10 globs. With 1,000 globs it takes 8,000 ns and
 * 150 ns.
 */
const FEW = 8;

/**
 * Compiles a list of globs into one matcher that names the first pattern, in list order, which matches a name.
 *
 * Only `*` is special: any run of characters, the empty one, dots, slashes and line breaks included. Everything
 * else stands for itself, case-sensitive, compared by UTF-16 code unit. An empty list matches nothing.
 *
 * A name is checked in time linear in its length, plus one linear pass for each pattern of two literals or more (`a*b`,
 * `*a*b*`) if the name has its beginning (or its end, if it has no beginning). Names, `prefix*`, `*suffix` and `*inside*`
 * cost one pass together however many there are, and nothing is remembered between calls, so a name never seen before
 * costs what any other costs.
 */
export function compileGlobs(patterns: readonly string[]): GlobMatcher {
  const globs = patterns.map(parseGlob);
  const matcher = globs.length <= FEW ? oneByOne(globs) : together(globs);
  return Object.assign(matcher, { steps: stepsOf(globs) });
}

/** Four of one pass over a name are one of a pattern. */
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

/** By state of the automaton, the patterns that are met there; by index, and as many as there are patterns for none. */
type Met = {
  /** The first that may match, those of the state's suffixes among them. */
  lowest: Int32Array;
  /** The first that matches for certain: a pattern of one literal. */
  certain: Int32Array;
  /** Those of more literals, in list order. */
  tests: (Glob[] | undefined)[];
};

/** `passing`: met by any name that comes by the state; `ending`: by one that ends there. */
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

/** The first pattern below `bound` that is met at the state and matches, else `bound`. */
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

/** Where a pattern is met in a name; `certain`: which then matches, for there is no more of it to look for. */
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
