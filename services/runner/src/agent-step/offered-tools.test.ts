import { expect, test } from 'vitest';
import { offeredNames } from './offered-tools.ts';

const named = (...tools: string[]) => Object.fromEntries(offeredNames(tools));

test('keeps tool names that every provider accepts', () => {
  expect(named('look', 'pay_now-2')).toEqual({ look: 'look', 'pay_now-2': 'pay_now-2' });
});

test('replaces other characters', () => {
  expect(named('crm.refund', 'a.example.v1', 'größe')).toEqual({
    'crm.refund': 'crm_refund',
    'a.example.v1': 'a_example_v1',
    größe: 'gr__e',
  });
});

test('never gives two tools one name, and no tool the name that loads skills', () => {
  expect(named('a.b', 'a_b', 'a:b', 'skill_load')).toEqual({
    'a.b': 'a_b_2',
    a_b: 'a_b',
    'a:b': 'a_b_3',
    skill_load: 'skill_load_2',
  });
});

test('shortens long names to 64 characters', () => {
  const long = 'x'.repeat(80);
  const names = Object.values(named(long, `${long}y`));
  expect(names.map((name) => name.length)).toEqual([64, 64]);
  expect(new Set(names).size).toBe(2);
});
