/**
 * Whether several lists of globs have a name in common, and which: the shortest that each list matches. Every list is
 * followed as an automaton whose states are the places where a name may stand in its patterns, made as they are reached; the
 * names that all have in common are looked for letter by letter, the shortest first.
 */
import { type Effort, takes } from '../effort.ts';

/** Of all patterns together: each state may hold a place in every one. */
const MOST_UNITS = 2_000;

/** Null: there is none. Undefined: it would take too long to find out. */
export function commonName(lists: readonly (readonly string[])[], effort: Effort): string | null | undefined {
  const units = lists.flat().reduce((sum, pattern) => sum + pattern.length, 0);
  if (units > MOST_UNITS) return undefined;
  const automata = lists.map((patterns) => automatonOf(patterns, effort));
  const letters = [...new Set(lists.flat().flatMap((pattern) => pattern.replaceAll('*', '').split('')))];
  const start = automata.map(({ start }) => start);
  let names = [{ name: '', states: start }];
  const seen = new Set([start.join()]);
  while (names.length > 0) {
    const found = names.find(({ states }) => states.every((state, at) => automata[at]?.ends(state)));
    if (found !== undefined) return found.name;
    const longer: typeof names = [];
    for (const { name, states } of names) {
      // A letter that is in no pattern only stars take: without it the name would be shorter, and no less in common.
      for (const letter of letters) {
        if (!takes(effort, lists.length)) return undefined;
        const next = step(automata, states, letter);
        if (next === null || seen.has(next.join())) continue;
        seen.add(next.join());
        longer.push({ name: name + letter, states: next });
      }
    }
    names = longer;
  }
  return null;
}

function step(automata: readonly Automaton[], states: readonly number[], letter: string): number[] | null {
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
  /** Null: no pattern of the list goes on like that. */
  step(state: number, letter: string): number | null;
  ends(state: number): boolean;
};

/** A set of places is put in order before it is known to be another one. */
const STEPS_A_PLACE = 10;

/** A place: in which pattern, and before which of its characters. */
type Place = readonly [pattern: string, at: number];

function automatonOf(patterns: readonly string[], effort: Effort): Automaton {
  const states: { places: readonly Place[]; next: Map<string, number | null> }[] = [];
  const numbers = new Map<string, number>();

  function numberOf(places: readonly Place[]): number {
    const all = new Map(places.flatMap(withoutStars).map((place) => [place.join(' '), place]));
    takes(effort, STEPS_A_PLACE * all.size);
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

/** A star may stand for nothing: whoever is before it is behind it as well. */
function withoutStars([pattern, at]: Place): Place[] {
  return pattern[at] === '*' ? [[pattern, at], ...withoutStars([pattern, at + 1])] : [[pattern, at]];
}
