import { expect, test } from 'vitest';
import type { Balance, Unpublished } from './port.ts';
import { reconcile } from './reconcile.ts';

const total = (subject: string, spent: number): Balance => ({
  tenant: 't',
  budget: { scope: 'agent', subject, id: 'total', windowMs: null },
  spent,
});
const hour = (spent: number): Balance => ({
  tenant: 't',
  budget: { scope: 'tenant', subject: '', id: 'hour', windowMs: 3_600_000 },
  spent,
});

test('reports no drift if log, ledger and audit agree', () => {
  const balances = [total('a', 10), total('b', 20)];
  expect(reconcile({ log: balances, ledger: balances, audit: balances })).toEqual({
    counters: 2,
    driftMicros: 0,
    driftTokens: 0,
    driftToolCalls: 0,
    differences: [],
  });
});

test('reports the full amount of a counter that is missing in one source', () => {
  const { driftMicros, differences } = reconcile({
    log: [total('a', 10)],
    ledger: [],
    audit: [total('a', 7)],
  });
  expect(driftMicros).toBe(13);
  expect(differences).toEqual([
    {
      tenant: 't',
      budget: total('a', 0).budget,
      log: 10,
      kept: 10,
      unpublished: 0,
      ledger: 0,
      audit: 7,
    },
  ]);
});

test('reports the drift of 200,000 agents if the ledger lost all their counters', () => {
  const log = Array.from({ length: 200_000 }, (_, n) => total(`a-${n}`, 1));
  expect(reconcile({ log, ledger: [], audit: null }).driftMicros).toBe(200_000);
});

test('adds up opposite errors and never lets them cancel', () => {
  const { driftMicros } = reconcile({
    log: [total('a', 10), total('b', 10)],
    ledger: [total('a', 11), total('b', 9)],
    audit: null,
  });
  expect(driftMicros).toBe(2);
});

test('reports no drift for months that the audit dropped, but reports missing records of other months', () => {
  const log = [total('a', 10), total('b', 5)];
  const compared = (audit: Balance[]) => reconcile({ log, ledger: log, audit, kept: [total('a', 4)] });
  expect(compared([total('a', 4)]).driftMicros).toBe(0);
  expect(compared([]).driftMicros).toBe(4);
  expect(compared(log)).toMatchObject({
    driftMicros: 11,
    differences: [
      { log: 10, kept: 4, audit: 10 },
      { log: 5, kept: 0, audit: 5 },
    ],
  });
});

test('reports the drift of tokens beside that of money, and does not compare tokens with the audit', () => {
  const tokens = (spent: number): Balance => ({
    tenant: 't',
    budget: { ...total('a', 0).budget, unit: 'tokens' },
    spent,
  });
  const told = { log: [total('a', 10), tokens(700)], audit: [total('a', 10)] };
  expect(reconcile({ ...told, ledger: [total('a', 10), tokens(700)] })).toMatchObject({
    counters: 2,
    driftMicros: 0,
    driftTokens: 0,
    driftToolCalls: 0,
  });
  expect(reconcile({ ...told, ledger: [total('a', 9), tokens(720)] })).toMatchObject({
    driftMicros: 1,
    driftTokens: 20,
    differences: [
      { log: 10, ledger: 9, audit: 10 },
      { log: 700, ledger: 720, audit: null },
    ],
  });
});

test('does not compare windows with the audit', () => {
  expect(reconcile({ log: [hour(5)], ledger: [hour(5)], audit: [hour(50)] }).driftMicros).toBe(0);
});

test('reports no drift for unpublished charges, in each counter that contains them', () => {
  const unpublished: Unpublished = {
    tenant: 't',
    agentId: 'a',
    source: { topic: 'mandate.actions.v1', partition: 0, offset: 1 },
    delta: 4,
    budgets: [total('a', 0).budget, hour(0).budget],
  };
  const told = { log: [total('a', 10)], ledger: [total('a', 14), hour(4)], audit: [total('a', 10)] };
  expect(reconcile({ ...told, unpublished: [unpublished] }).driftMicros).toBe(0);
  expect(reconcile(told).driftMicros).toBe(8);
});
