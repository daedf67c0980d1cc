import { expect, test } from 'vitest';
import { globsWithin } from './globs-within.ts';
import { widening } from './widening.ts';

test('finds that a glob is within a list if the list matches everything that the glob matches', () => {
  const isWithin = globsWithin(['read_*', '*_of_*', 'exact']);
  expect(['read_a*', 'read_', 'a_of_*', 'exact', 'exact*', 'write_*'].map(isWithin)).toEqual([
    true,
    true,
    true,
    true,
    false,
    false,
  ]);
});

test('limits the comparisons of all lists that share a step budget', () => {
  const stepBudget = { left: 10 };
  const [first, second] = [globsWithin(['a*'], false, stepBudget), globsWithin(['a*'], true, stepBudget)];
  expect([first('a12345*'), second('b'), second('a1'), second('b')]).toEqual([true, false, true, true]);
  expect(stepBudget.left).toBeLessThan(0);
});

const dearTools = (count: number, part: string) =>
  Array.from({ length: count }, (_, n) => `tool_${n}_*_${part}_*`);
const policy = (allowedTools: string[]) => ({ version: 1 as const, id: 'p', allowedTools });

test('reports a change as wider if a full comparison takes too long', () => {
  const tools = dearTools(2_000, 'x');
  const narrower = tools.map((tool) => tool.replace('_x_', '_xx_x_'));
  expect(widening(policy(tools.slice(0, 20)), policy(narrower.slice(0, 20)))).toEqual([]);
  const told = widening(policy(tools), policy(narrower));
  // The comparison stops after some patterns. The first pattern was compared, so it is not reported.
  expect(told.at(0)).not.toBe(`allowedTools: + ${narrower[0]}`);
  expect(told.at(-1)).toBe(`allowedTools: + ${narrower.at(-1)}`);
});
