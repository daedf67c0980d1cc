/**
 * Whether several lists of globs have a name in common that none of others denies, and which: the shortest. Every list is
 * followed as an automaton. Its states are the places in the patterns that a name may have reached, made as needed. The
 * names that all have in common are looked for letter by letter, the shortest first.
 */
import { type Effort, takes } from '@mandate/policy/parts';
import { UNSPELLED } from './globs-within.ts';

/** The size of all patterns together: each state may hold a place in every one. */
const MOST_UNITS = 2_000;

/** Null: there is none. Undefined: it would take too long to find out. */
export function commonName(
  lists: readonly (readonly string[])[],
  effort: Effort,
  denied: readonly string[] = [],
): string | null | undefined {
  const patterns = [...lists.flat(), ...denied];
  const units = patterns.reduce((sum, pattern) => sum + pattern.length, 0);
  if (units > MOST_UNITS) return undefined;
  const allowing = lists.map((list) => automatonOf(list, effort));
  const denying = automatonOf(denied, effort);
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
        if (!takes(effort, lists.length)) return undefined;
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

/** `out` null: nothing that begins like that is denied. */
type Reached = { name: string; states: readonly number[]; out: number | null };

function keyOf({ states, out }: Reached): string {
  return `${states.join()} ${out}`;
}

/**
 * A letter that is in no pattern only stars take: without it the name would be shorter and no less in common, unless the
 * shorter one is denied.
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

/** A star may match nothing: a name that is before it is also after it. */
function withoutStars([pattern, at]: Place): Place[] {
  return pattern[at] === '*' ? [[pattern, at], ...withoutStars([pattern, at + 1])] : [[pattern, at]];
}
