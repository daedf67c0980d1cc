import { expect, test } from 'vitest';
import { columnsOf } from './columns.ts';
import { foremost, QUESTIONS } from './questions.ts';

const bot = { group: { agent: 'bot' }, change: 'new', percent: null };

test('what moved by spend is told in dollars and in micro-dollars, in the order of its columns', () => {
  const micros = { before: 0, now: 172_830, difference: 172_830 };
  const dollars = { beforeDollars: '$0.00', nowDollars: '$0.17283', differenceDollars: '$0.17283' };
  const row = QUESTIONS.movers?.row?.({ ...bot, ...micros, ...dollars }) ?? {};
  expect(columnsOf('movers', {}).map((name) => row[name])).toEqual([
    'bot',
    'new',
    '$0.00',
    '$0.17283',
    '$0.17283',
    null,
    0,
    172_830,
    172_830,
  ]);
});

test('what moved by calls is counted', () => {
  const row = QUESTIONS.movers?.row?.({ ...bot, before: 0, now: 3, difference: 3 }) ?? {};
  expect(Object.keys(row).toSorted()).toEqual(columnsOf('movers', { by: 'calls' }).toSorted());
});

test('what decisions are narrowed by stands first, once, and otherwise when and who', () => {
  const { decisions } = QUESTIONS;
  if (decisions === undefined) throw new Error('they can be asked for');
  expect(foremost(decisions, { agent: 'bot' }).slice(0, 2)).toEqual(['decidedAt', 'agentId']);
  const shadow = foremost(decisions, { shadow: 'differs' });
  expect(shadow.slice(3, 6)).toEqual(['shadowVerdict', 'shadowCode', 'shadowRules']);
  expect(new Set(shadow).size).toBe(shadow.length);
  for (const name of Object.values(decisions.firstWhere ?? {}).flat())
    expect(columnsOf('decisions', {})).toContain(name);
});
