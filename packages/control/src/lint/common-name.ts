/**
 * Finds the shortest name that every given list of globs matches and the list of denied globs does not match. Each
 * list becomes an automaton. A state of the automaton is the set of positions that a name can reach in the patterns.
 * States are made when needed. The search tries names letter by letter, the shortest first.
 */
import { consume, type StepBudget } from '@mandate/policy/parts';
import { UNSPELLED } from './globs-within.ts';

/**
 * The maximum number of characters of all patterns together. Each state may contain a position in every pattern, so
 * larger patterns would take too long.
 */
const MOST_UNITS = 2_000;

/** Returns null if no name is common to the lists, and undefined if the search would take too long. */
export function commonName(
  lists: readonly (readonly string[])[],
  stepBudget: StepBudget,
  denied: readonly string[] = [],
): string | null | undefined {
  const patterns = [...lists.flat(), ...denied];
  const units = patterns.reduce((sum, pattern) => sum + pattern.length, 0);
  if (units > MOST_UNITS) return undefined;
  const allowing = lists.map((list) => automatonOf(list, stepBudget));
  const denying = automatonOf(denied, stepBudget);
  const letters = [...lettersIn(patterns, denied.length > 0)];
  const isFound = ({ states, out }: Reached) =>
    states.every((state, at) => allowing[at]?.ends(state)) && (out === null || !denying.ends(out));
  const start = { name: '', states: allowing.map((one) => one.start), out: denying.start };
  let reached: Reached[] = [start];
  const seen = new Set([keyOf(start)]);
  while (reached.length > 0) {
    const found = reached.find(isFound);
    if (found !== undefined) return found.name;
    const longer: Reached[] = [];
    for (const { name, states, out } of reached) {
      for (const letter of letters) {
        if (!consume(stepBudget, lists.length)) return undefined;
        const next = step(allowing, states, letter);
        if (next === null) continue;
        const one = {
          name: name + letter,
          states: next,
          out: out === null ? null : denying.step(out, letter),
        };
        const key = keyOf(one);
        if (seen.has(key)) continue;
        seen.add(key);
        longer.push(one);
      }
    }
    reached = longer;
  }
  return null;
}

/** `out`: the state of the denied list. Null if no denied name begins with the letters of `name`. */
type Reached = { name: string; states: readonly number[]; out: number | null };

function keyOf({ states, out }: Reached): string {
  return `${states.join()} ${out}`;
}

/**
 * Returns the letters to try: the letters of all patterns. If there are denied patterns, also one letter that is in
 * no pattern. Only a star matches that letter.
 */
function lettersIn(patterns: readonly string[], withAnother: boolean): ReadonlySet<string> {
  const letters = new Set(patterns.flatMap((pattern) => pattern.replaceAll('*', '').split('')));
  return withAnother ? letters.add(UNSPELLED) : letters;
}

function step(
  automata: readonly Automaton[],
  states: readonly number[],
  letter: string,
): readonly number[] | null {
  const next: number[] = [];
  for (const [at, automaton] of automata.entries()) {
    const state = automaton.step(states[at] as number, letter);
    if (state === null) return null;
    next.push(state);
  }
  return next;
}

type Automaton = {
  start: number;
  /** Returns null if no pattern of the list continues with this letter. */
  step(state: number, letter: string): number | null;
  ends(state: number): boolean;
};

/** The cost of one position in a state, in steps. The positions are sorted to find out whether the state is new. */
const STEPS_A_PLACE = 10;

/** A position in a pattern: before the character at this index. */
type Place = readonly [pattern: string, at: number];

function automatonOf(patterns: readonly string[], stepBudget: StepBudget): Automaton {
  const states: { places: readonly Place[]; next: Map<string, number | null> }[] = [];
  const numbers = new Map<string, number>();

  function numberOf(places: readonly Place[]): number {
    const all = new Map(places.flatMap(withoutStars).map((place) => [place.join(' '), place]));
    consume(stepBudget, STEPS_A_PLACE * all.size);
    const key = [...all.keys()].toSorted().join('\n');
    const known = numbers.get(key);
    if (known !== undefined) return known;
    numbers.set(key, states.length);
    return states.push({ places: [...all.values()], next: new Map() }) - 1;
  }

  function goOn(places: readonly Place[], letter: string): number | null {
    const further = places.flatMap(([pattern, at]): Place[] => {
      if (pattern[at] === '*') return [[pattern, at]];
      return pattern[at] === letter ? [[pattern, at + 1]] : [];
    });
    return further.length === 0 ? null : numberOf(further);
  }

  return {
    start: numberOf(patterns.map((pattern) => [pattern, 0])),
    step(from, letter) {
      const { places, next } = states[from] as (typeof states)[number];
      let state = next.get(letter);
      if (state === undefined) {
        state = goOn(places, letter);
        next.set(letter, state);
      }
      return state;
    },
    ends: (state) => states[state]?.places.some(([pattern, at]) => at === pattern.length) ?? false,
  };
}

/** A star may match nothing. So a name that reaches the position before a star also reaches the position after it. */
function withoutStars([pattern, at]: Place): Place[] {
  return pattern[at] === '*' ? [[pattern, at], ...withoutStars([pattern, at + 1])] : [[pattern, at]];
}
