/**
 * Finds many literals in one pass over a text. It is an Aho-Corasick automaton: a trie of the literals, in which
 * every state also has a link to its longest proper suffix that is a state. If a state has no edge for the next code
 * unit, the search continues at this suffix. So a code unit takes at most two steps on average, whatever the literals
 * and the text are.
 */
export type LiteralAutomaton = {
  /** For each state, its first child. ROOT if it has none. Most states have no other child. */
  readonly firstChild: Int32Array;
  /** For each state, the code unit that leads to it from its parent. */
  readonly units: Int32Array;
  /**
   * The other children, as a hash table with open addressing, at most half full. An entry consists of a state, a code
   * unit and the next state.
   */
  readonly edges: Int32Array;
  /** The size of the hash table minus one. The size is a power of two. */
  readonly mask: number;
  /**
   * For each state, a set of 32 bits, one for each value of the last five bits of a code unit. A bit is set if the hash
   * table has an edge of the state for such a code unit. If the bit is not set, no look-up is necessary.
   */
  readonly hints: Int32Array;
  /** For each state, the longest proper suffix that is also a state. */
  readonly suffixes: Int32Array;
};

/** The empty literal, which is a suffix of every state. */
export const ROOT = 0;
/**
 * The state at the beginning of a text. Anchored literals begin at this state, because they match only at the
 * beginning.
 */
export const START = 1;

/** @param from the current state, @param unit the next code unit of the text */
export function step(automaton: LiteralAutomaton, from: number, unit: number): number {
  const { firstChild, units, hints, suffixes } = automaton;
  for (let state = from; ; state = suffixes[state] as number) {
    const first = firstChild[state] as number;
    if (first !== ROOT && units[first] === unit) return first;
    if ((((hints[state] as number) >>> (unit & 31)) & 1) === 1) {
      const next = otherChild(automaton, state, unit);
      if (next !== ROOT) return next;
    }
    if (state === ROOT) return ROOT;
  }
}

/** ROOT if the hash table has no such edge. */
function otherChild({ edges, mask }: LiteralAutomaton, state: number, unit: number): number {
  for (let place = hash(state, unit) & mask; ; place = (place + 1) & mask) {
    const next = edges[place * 3 + 2] as number;
    if (next === ROOT || (edges[place * 3] === state && edges[place * 3 + 1] === unit)) return next;
  }
}

function hash(state: number, unit: number): number {
  const mixed = Math.imul(Math.imul(state, 0x9e3779b1) ^ unit, 0x85ebca6b);
  return mixed ^ (mixed >>> 15);
}

export type Trie = {
  /** Adds a literal and returns its last state. `anchored`: the literal matches only at the beginning of a text. */
  add(literal: string, anchored: boolean): number;
  /** Builds the automaton. `inOrder` contains all states. Each state comes later than its suffix. */
  compile(): { automaton: LiteralAutomaton; inOrder: Int32Array };
};

export function trie(): Trie {
  const states: States = { firstChild: [ROOT, ROOT], parents: [ROOT, ROOT], units: [0, 0] };
  /** For each state with several children, the others by the code unit that leads to them. */
  const otherChildren: OtherChildren = new Map();
  const { firstChild, parents, units } = states;

  function childOf(state: number, unit: number): number | undefined {
    const first = firstChild[state] as number;
    if (first === ROOT || units[first] === unit) return first === ROOT ? undefined : first;
    return otherChildren.get(state)?.get(unit);
  }

  function addChild(state: number, unit: number): number {
    const child = firstChild.push(ROOT) - 1;
    if (firstChild[state] === ROOT) firstChild[state] = child;
    else otherChildren.set(state, (otherChildren.get(state) ?? new Map()).set(unit, child));
    parents.push(state);
    units.push(unit);
    return child;
  }

  return {
    add(literal, anchored) {
      let state = anchored ? START : ROOT;
      for (let at = 0; at < literal.length; at += 1) {
        const unit = literal.charCodeAt(at);
        state = childOf(state, unit) ?? addChild(state, unit);
      }
      return state;
    },
    compile: () => compile(states, otherChildren),
  };
}

/** For each state: its first child, its parent, and the code unit that leads from the parent to it. */
type States = Readonly<Record<'firstChild' | 'parents' | 'units', number[]>>;
type OtherChildren = Map<number, Map<number, number>>;

function compile({ firstChild, parents, units }: States, otherChildren: OtherChildren) {
  const count = parents.length;
  const automaton = {
    firstChild: new Int32Array(firstChild),
    units: new Int32Array(units),
    suffixes: new Int32Array(count),
    ...edgeTable(count, otherChildren),
  };
  const inOrder = byDepth(parents);
  for (const state of inOrder) {
    const parent = parents[state] as number;
    // The root is the suffix of its children. START counts as one of them.
    if (parent !== ROOT)
      automaton.suffixes[state] = step(
        automaton,
        automaton.suffixes[parent] as number,
        automaton.units[state] as number,
      );
  }
  return { automaton, inOrder };
}

function edgeTable(states: number, otherChildren: OtherChildren) {
  let count = 1;
  for (const children of otherChildren.values()) count += children.size;
  const mask = 2 ** Math.ceil(Math.log2(count * 2)) - 1;
  const edges = new Int32Array((mask + 1) * 3);
  const hints = new Int32Array(states);
  for (const [state, children] of otherChildren)
    for (const [unit, child] of children) {
      hints[state] = (hints[state] as number) | (1 << (unit & 31));
      let place = hash(state, unit) & mask;
      while (edges[place * 3 + 2] !== ROOT) place = (place + 1) & mask;
      edges.set([state, unit, child], place * 3);
    }
  return { edges, mask, hints };
}

/** Returns the states in the order of their depths. */
function byDepth(parents: readonly number[]): Int32Array {
  const count = parents.length;
  const depths = new Int32Array(count);
  /** For each depth, the place of the next state of this depth. */
  const places = [0, 1];
  for (let state = START; state < count; state += 1) {
    const depth = (depths[parents[state] as number] as number) + 1;
    depths[state] = depth;
    places[depth + 1] = (places[depth + 1] ?? 0) + 1;
  }
  for (let depth = 1; depth < places.length; depth += 1)
    places[depth] = (places[depth] as number) + (places[depth - 1] as number);
  const inOrder = new Int32Array(count);
  for (let state = ROOT; state < count; state += 1) {
    const depth = depths[state] as number;
    const place = places[depth] as number;
    inOrder[place] = state;
    places[depth] = place + 1;
  }
  return inOrder;
}
