import { runs } from '@mandate/testing';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ROOT, START, step, trie } from './literal-automaton.ts';

const text = (maxLength: number) =>
  fc.array(fc.constantFrom('a', 'b', 'A', '\u0141'), { maxLength }).map((units) => units.join(''));

/** True if the literal ends where the prefix ends. An anchored literal must be equal to the whole prefix. */
function endsThere(prefix: string, literal: string, anchored: boolean): boolean {
  return anchored ? prefix === literal : prefix.endsWith(literal);
}

test('a literal automaton finds, after each code unit, exactly the literals that end there', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(text(5), fc.boolean()), { maxLength: 12 }), text(12), (added, whole) => {
      const literals = trie();
      const states = added.map(([literal, anchored]) => literals.add(literal, anchored));
      const { automaton } = literals.compile();
      let state = START;
      for (let at = 0; at <= whole.length; at += 1) {
        if (at > 0) state = step(automaton, state, whole.charCodeAt(at - 1));
        const met = new Set([ROOT]);
        for (let suffix = state; suffix !== ROOT; suffix = automaton.suffixes[suffix] ?? ROOT)
          met.add(suffix);
        for (const [index, [literal, anchored]] of added.entries()) {
          expect(met.has(states[index] ?? -1)).toBe(endsThere(whole.slice(0, at), literal, anchored));
        }
      }
    }),
    { numRuns: runs(300) },
  );
});

test('`inOrder` lists each state after the state of its longest suffix', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(text(6), fc.boolean()), { maxLength: 12 }), (added) => {
      const literals = trie();
      for (const [literal, anchored] of added) literals.add(literal, anchored);
      const { automaton, inOrder } = literals.compile();
      const place = new Map([...inOrder].map((state, at) => [state, at]));
      expect(place.size).toBe(automaton.suffixes.length);
      for (const state of inOrder.slice(1)) {
        expect(place.get(automaton.suffixes[state] ?? -1)).toBeLessThan(place.get(state) ?? -1);
      }
    }),
  );
});
