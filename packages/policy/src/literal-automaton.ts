/**
 * Finds many literals in one pass over a text, after Aho and Corasick: a trie of the literals in which every state also
 * knows its longest proper suffix that is a state, and goes on from there where no code unit fits. So a text takes at most
 * two steps a code unit, however many literals there are and whatever either is made of.
 */
export type LiteralAutomaton = {
  /** States by the place of their edge: state, code unit, next state; open addressing, at most half full. */
  readonly edges: Int32Array;
  /** How many places there are, less one; a power of two, less one. */
  readonly mask: number;
  /** By state, which code units lead on from it, by their last five bits: tells most that do not without a search. */
  readonly hints: Int32Array;
  /** By state, its longest proper suffix. */
  readonly suffixes: Int32Array;
};

/** The empty literal, which is the suffix of all. */
export const ROOT = 0;
/** Where a text begins: literals that only count at its beginning lead on from here. */
export const START = 1;

/** @param from a state, @param unit the next code unit of the text */
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
  /** The state that is reached where the literal ends. `anchored`: only when the text begins with it. */
  add(literal: string, anchored: boolean): number;
  /** `inOrder`: all states, each behind its suffix. */
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
  // What leads on from the root has the root as its suffix; the start is what an anchor would lead to.
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
