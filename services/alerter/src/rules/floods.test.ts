import { expect, test } from 'vitest';
import { Floods, MOST_IN_A_MINUTE } from './floods.ts';

const { ofAnAgent, ofATenant } = MOST_IN_A_MINUTE;

const of = (agentId: string, second = 0, more: object = {}) => ({
  ...{ rule: 'approval' as const, tenant: 'acme', facts: { agentId }, ...more },
  at: new Date(Date.UTC(2026, 0, 1) + 1_000 * second).toISOString(),
});

test('limits the alerts about an agent in a minute, and the next alert says how many were only listed', () => {
  const floods = new Floods();
  const sent = Array.from({ length: 47 }, (_, at) => floods.send(of('bot', at)));
  expect(sent).toEqual([...Array(ofAnAgent).fill(0), ...Array(47 - ofAnAgent).fill(null)]);
  expect(floods.send(of('other', 50))).toBe(0);
  expect(floods.send(of('bot', 59))).toBe(null);
  expect(floods.send(of('bot', 60))).toBe(38);
  expect(floods.send(of('bot', 61))).toBe(0);
});

test('all agents of a tenant together have a limit too, and each tenant has its own limit', () => {
  const floods = new Floods();
  const sent = Array.from({ length: ofATenant + 5 }, (_, at) => floods.send(of(`made-up-${at}`)));
  expect(sent.filter((listed) => listed === null)).toHaveLength(5);
  expect(floods.send(of('bot', 1, { tenant: 'globex' }))).toBe(0);
  expect(floods.send(of('bot', 1, { rule: 'budget' }))).toBe(0);
});

test('kills are always sent', () => {
  const floods = new Floods();
  const sent = Array.from({ length: 500 }, () => floods.send(of('bot', 0, { rule: 'kill' })));
  expect(new Set(sent)).toEqual(new Set([0]));
});

test('counts a limited number of agents, however many exist', () => {
  const floods = new Floods();
  for (let at = 0; at < 25_000; at += 1) floods.send(of(`made-up-${at}`, at));
  expect(floods.size).toBeLessThanOrEqual(10_000);
});
