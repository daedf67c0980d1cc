import { expect, test } from 'vitest';
import { columnsOf } from './columns.ts';
import { foremost, QUESTIONS } from './questions.ts';

const bot = { group: { agent: 'bot' }, change: 'new', percent: null };

test('`analytics movers` shows the spend in dollars and micro-dollars, in the order of the columns', () => {
  const micros = { before: 0, now: 172_830, difference: 172_830 };
  const dollars = { beforeDollars: '$0.00', nowDollars: '$0.17283', differenceDollars: '$0.17283' };
  const row = QUESTIONS['analytics movers'].row({ ...bot, ...micros, ...dollars });
  expect(columnsOf('analytics movers', {}).map((name) => row[name])).toEqual([
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

test('`analytics movers --by calls` shows counts, and no amounts', () => {
  const row = QUESTIONS['analytics movers'].row({ ...bot, before: 0, now: 3, difference: 3 });
  expect(Object.keys(row).toSorted()).toEqual(columnsOf('analytics movers', { by: 'calls' }).toSorted());
});

test('puts the fields of the given filters first, each once, or otherwise the verdict and the agent', () => {
  const decisions = QUESTIONS['decisions list'];
  expect(foremost(decisions, { agent: 'bot' }).slice(0, 2)).toEqual(['verdict', 'agentId']);
  const shadow = foremost(decisions, { shadow: 'differs' });
  expect(shadow.slice(1, 4)).toEqual(['shadowVerdict', 'shadowCode', 'shadowRules']);
  expect(new Set(shadow).size).toBe(shadow.length);
  for (const name of Object.values(decisions.firstIf).flat())
    expect(columnsOf('decisions list', {})).toContain(name);
});
