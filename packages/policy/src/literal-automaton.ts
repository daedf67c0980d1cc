/**
 * Finds many literals in one pass over a text. It is an Aho-Corasick automaton: a trie of the literals, in which
 * every state also has a link to its longest proper suffix that is a state. If a state has no edge for the next code
 * unit, the search continues at this suffix. So a code unit takes at most two steps on average, whatever the literals
 * and the text are.
 */
export type LiteralAutomaton = {
  /**
   * A hash table of edges with open addressing, at most half full. An entry consists of a state, a code unit and the
   * next state.
   */
  readonly edges: Int32Array;
  /** The size of the hash table minus one. The size is a power of two. */
  readonly mask: number;
  /**
   * For each state, a set of 32 bits. Bit n is set if the state has an edge for a code unit whose last five bits are
   * n. Most missing edges are recognized by this set, without a look-up.
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
  const { edges, mask, hints, suffixes } = automaton;
  for (let state = from; ; state = suffixes[state] as number) {
    if ((((hints[state] as number) >>> (unit & 31)) & 1) === 1) {
      for (let place = hash(state, unit) & mask; ; place = (place + 1) & mask) {
        const next = edges[place * 3 + 2] as number;
        if (next === ROOT) break;
        if (edges[place * 3] === state && edges[place * 3 + 1] === unit) return next;
      }
    }
    if (state === ROOT) return ROOT;
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
  compile(): { automaton: LiteralAutomaton; inOrder: readonly number[] };
};

export function trie(): Trie {
  const children: Map<number, number>[] = [new Map(), new Map()];
  return {
    add(literal, anchored) {
      let state = anchored ? START : ROOT;
      for (let at = 0; at < literal.length; at += 1) {
        const unit = literal.charCodeAt(at);
        let child = children[state]?.get(unit);
        if (child === undefined) {
          child = children.push(new Map()) - 1;
          children[state]?.set(unit, child);
        }
        state = child;
      }
      return state;
    },
    compile: () => compile(children),
  };
}

function compile(children: readonly ReadonlyMap<number, number>[]) {
  const mask = 2 ** Math.ceil(Math.log2(children.length * 2)) - 1;
  const edges = new Int32Array((mask + 1) * 3);
  const hints = new Int32Array(children.length);
  for (const [state, byUnit] of children.entries()) {
    for (const [unit, child] of byUnit) {
      let place = hash(state, unit) & mask;
      while (edges[place * 3 + 2] !== ROOT) place = (place + 1) & mask;
      edges.set([state, unit, child], place * 3);
      hints[state] = (hints[state] as number) | (1 << (unit & 31));
    }
  }
  const automaton = { edges, mask, hints, suffixes: new Int32Array(children.length) };
  // The children of the root have the root as their suffix. START is treated like a child of the root.
  const inOrder = [ROOT, ...(children[ROOT]?.values() ?? []), START];
  for (let at = 1; at < inOrder.length; at += 1) {
    const state = inOrder[at] as number;
    for (const [unit, child] of children[state] ?? []) {
      automaton.suffixes[child] = step(automaton, automaton.suffixes[state] as number, unit);
      inOrder.push(child);
    }
  }
  return { automaton, inOrder };
}
