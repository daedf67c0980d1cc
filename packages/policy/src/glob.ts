import { type LiteralAutomaton, ROOT, START, step, type Trie, trie } from './literal-automaton.ts';

/** Names the first pattern of its list that matches, or null. */
export type GlobMatcher = (name: string) => string | null;

/**
 * Compiles a list of globs into one matcher that names the first pattern, in list order, which matches a name.
 *
 * Only `*` is special: any run of characters, the empty one, dots, slashes and line breaks included. Everything
 * else stands for itself, case-sensitive, compared by UTF-16 code unit. An empty list matches nothing.
 *
 * A name is checked in time linear in its length, plus one linear pass for each pattern of two literals or more (`a*b`,
 * `*a*b*`) whose beginning (or, lacking one, whose end) the name shares. Names, `prefix*`, `*suffix` and `*inside*` cost
 * one pass together however many there are, and nothing is remembered between calls, so a name never seen before costs
 * what any other costs.
 */
export function compileGlobs(patterns: readonly string[]): GlobMatcher {
  const { automaton, passing, ending, passingTests, endingTests } = compileList(patterns);

  return (name) => {
    let state = START;
    let first = firstMatch(passingTests[state], name, passing[state] as number);
    for (let at = 0; at < name.length; at += 1) {
      state = step(automaton, state, name.charCodeAt(at));
      if ((passing[state] as number) < first) first = passing[state] as number;
      if (passingTests[state] !== undefined) first = firstMatch(passingTests[state], name, first);
    }
    if ((ending[state] as number) < first) first = ending[state] as number;
    for (; state !== ROOT; state = automaton.suffixes[state] as number) {
      first = firstMatch(endingTests[state], name, first);
    }
    return patterns[first] ?? null;
  };
}

/** By state of the automaton: what a name that comes by there, or ends there, matches, and what it is to be tested by. */
type CompiledList = {
  automaton: LiteralAutomaton;
  /** The lowest index of a pattern of one literal; where there is none, the number of patterns. */
  passing: Int32Array;
  ending: Int32Array;
  /** Patterns of more literals, in list order. */
  passingTests: readonly (readonly Glob[] | undefined)[];
  endingTests: readonly (readonly Glob[] | undefined)[];
};

function compileList(patterns: readonly string[]): CompiledList {
  const literals = trie();
  const places = patterns.map((pattern, index) => placeOf(pattern, index, literals));
  const { automaton, inOrder } = literals.compile();
  const passing = new Int32Array(inOrder.length).fill(patterns.length);
  const ending = passing.slice();
  const passingTests = new Array<Glob[] | undefined>(inOrder.length).fill(undefined);
  const endingTests = passingTests.slice();
  for (const [index, { state, atEnd, test }] of places.entries()) {
    if (test === null) {
      const lowest = atEnd ? ending : passing;
      lowest[state] = Math.min(lowest[state] as number, index);
    } else {
      const tests = atEnd ? endingTests : passingTests;
      tests[state] ??= [];
      tests[state].push(test);
    }
  }
  for (const state of inOrder) {
    const suffix = automaton.suffixes[state] as number;
    passing[state] = Math.min(passing[state] as number, passing[suffix] as number);
    ending[state] = Math.min(ending[state] as number, ending[suffix] as number);
  }
  return { automaton, passing, ending, passingTests, endingTests };
}

/** Where a pattern is met in a name; `test`: with more to be looked for then. */
type Place = { state: number; atEnd: boolean; test: Glob | null };

function placeOf(pattern: string, index: number, literals: Trie): Place {
  const [head = '', ...rest] = pattern.split('*');
  const tail = rest.pop();
  if (tail === undefined) return { state: literals.add(head, true), atEnd: true, test: null };
  const texts = [head, ...rest, tail].filter((text) => text !== '');
  if (texts.length < 2) {
    return { state: literals.add(texts[0] ?? '', head !== ''), atEnd: tail !== '', test: null };
  }
  const middles = rest.filter((text) => text !== '').map((text) => ({ text, borders: bordersOf(text) }));
  const test = { index, head, middles, tail };
  if (head === '' && tail !== '') return { state: literals.add(tail, false), atEnd: true, test };
  return { state: literals.add(head, true), atEnd: false, test };
}

/** A pattern of several literals: what stands before the first star, after the last, and between them. */
interface Glob {
  readonly index: number;
  readonly head: string;
  readonly middles: readonly Segment[];
  readonly tail: string;
}

interface Segment {
  readonly text: string;
  /** For each prefix of `text`, the length of its longest border: the fallback table of Knuth, Morris and Pratt. */
  readonly borders: Uint32Array;
}

/** The lowest index below `bound` of a glob that matches, else `bound`. */
function firstMatch(globs: readonly Glob[] | undefined, name: string, bound: number): number {
  if (globs === undefined) return bound;
  for (const glob of globs) {
    if (glob.index >= bound) return bound;
    if (matches(glob, name)) return glob.index;
  }
  return bound;
}

/** Leftmost placement of each middle is always best, so nothing is ever tried twice. */
function matches(glob: Glob, name: string): boolean {
  const end = name.length - glob.tail.length;
  if (glob.head.length > end || !name.startsWith(glob.head) || !name.endsWith(glob.tail)) return false;
  let from = glob.head.length;
  for (const segment of glob.middles) {
    from = endOfFirst(segment, name, from, end);
    if (from < 0) return false;
  }
  return true;
}

/**
 * The position behind the first occurrence of the segment within [from, end), or -1. Linear whatever the text,
 * which `indexOf` is not: it takes |name| × |segment| steps on a run of one letter.
 */
function endOfFirst({ text, borders }: Segment, name: string, from: number, end: number): number {
  let matched = 0;
  for (let at = from; at < end; at += 1) {
    const unit = name.charCodeAt(at);
    while (matched > 0 && text.charCodeAt(matched) !== unit) matched = borders[matched - 1] ?? 0;
    if (text.charCodeAt(matched) === unit) matched += 1;
    if (matched === text.length) return at + 1;
  }
  return -1;
}

function bordersOf(text: string): Uint32Array {
  const borders = new Uint32Array(text.length);
  let border = 0;
  for (let at = 1; at < text.length; at += 1) {
    while (border > 0 && text.charCodeAt(border) !== text.charCodeAt(at)) border = borders[border - 1] ?? 0;
    if (text.charCodeAt(border) === text.charCodeAt(at)) border += 1;
    borders[at] = border;
  }
  return borders;
}
