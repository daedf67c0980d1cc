import fc from 'fast-check';
import { expect, test } from 'vitest';
import { dominatorsOf } from './dominators.ts';

type Targets = ReadonlyMap<string, readonly string[]>;

const someTargets: fc.Arbitrary<Targets> = fc
  .array(fc.uniqueArray(fc.nat(9), { maxLength: 3 }), { minLength: 10, maxLength: 10 })
  .map((lists) => new Map(lists.map((targets, at) => [`n${at}`, targets.map((target) => `n${target}`)])));

function reachedWithout(avoided: string | null, targets: Targets): ReadonlySet<string> {
  const reached = new Set(avoided === 'n0' ? [] : ['n0']);
  for (const node of reached)
    for (const target of targets.get(node) ?? []) if (target !== avoided) reached.add(target);
  return reached;
}

test('a node dominates another node if every path to the other node leads through it', () => {
  fc.assert(
    fc.property(someTargets, (targets) => {
      const { parent, dominates } = dominatorsOf('n0', targets);
      const reached = reachedWithout(null, targets);
      expect(new Set(parent.keys())).toEqual(reached);
      for (const other of targets.keys()) {
        const without = reachedWithout(other, targets);
        for (const node of targets.keys())
          expect(dominates(other, node)).toBe(reached.has(other) && reached.has(node) && !without.has(node));
      }
      for (const [node, closest] of parent)
        if (closest !== null) {
          const strict = [...parent.keys()].filter((other) => other !== node && dominates(other, node));
          expect(strict.every((other) => dominates(other, closest))).toBe(true);
          expect(strict).toContain(closest);
        }
    }),
    { numRuns: 500 },
  );
});

test('handles a graph of many nodes quickly', () => {
  const size = 30_000;
  const targets = new Map<string, readonly string[]>(
    Array.from({ length: size }, (_, at) => [`n${at}`, [`n${at + 1}`, `n${Math.max(0, at - 7)}`]]),
  );
  targets.set(`n${size}`, []);
  const start = performance.now();
  expect(dominatorsOf('n0', targets).parent.get(`n${size}`)).toBe(`n${size - 1}`);
  expect(performance.now() - start).toBeLessThan(30_000);
});
