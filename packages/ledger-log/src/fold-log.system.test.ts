/** Tests that folding a log gives the same result for every order of reading its partitions. */
import { createMemoryLedger } from '@mandate/ledger';
import { agentKey, type DecisionsRecord, TOPICS, wireTime } from '@mandate/schemas';
import { buildCharged, buildSettlement } from '@mandate/testing';
import { expect, test } from 'vitest';
import { openedLog } from './decided-log.fixture.ts';
import { foldLog } from './fold-log.ts';

const DAY_MS = 86_400_000;
const START_MS = Date.parse('2026-01-01T00:00:00Z');
/**
 * The number of records between the first decision and its outcome. It is more than deciders can have in flight. So a
 * fold with the wrong clock would have forgotten the first decision.
 */
const BETWEEN = 12_000;
const BUDGET = { scope: 'agent', subject: 'bot', id: 'total', windowMs: null } as const;

function charged(n: number): DecisionsRecord {
  const decision = buildCharged(n, BUDGET, {
    appendedAtMs: START_MS + n,
    ledgerSequence: n + 1,
    source: { topic: TOPICS.actions, partition: 0, offset: n },
  });
  return { event: 'action.decided', decision };
}

/** Returns the outcome of the first decision. The outcome releases a tenth of a dollar. */
function settled(): DecisionsRecord {
  return {
    event: 'action.settled',
    settlement: buildSettlement(BETWEEN, {
      ...{
        settledAtMs: START_MS + BETWEEN,
        actionId: 'act-0',
        deltaMicros: -100_000,
        chargedMicros: 900_000,
      },
      source: { topic: TOPICS.actions, partition: 0, offset: BETWEEN + 1 },
      ledgerSequence: BETWEEN + 2,
    }),
  };
}

/** An operator's adjustment, five days later. */
const ADJUSTED: DecisionsRecord = {
  event: 'budget.adjusted',
  adjustment: {
    ...{ id: 'adj-1', by: 'ops', reason: '', at: wireTime(START_MS + 5 * DAY_MS), tenant: 'acme' },
    budget: { ...BUDGET, subject: 'other' },
    ...{ ledgerEpoch: 'ep-1', ledgerSequence: BETWEEN + 9, deltaMicros: 7, spentMicros: 7 },
  },
};

test.each([
  [0, 1],
  [1, 0],
])(
  'finds the decision of an outcome, even if partition %i contains an event from days later',
  async (late, busy) => {
    const { bus } = await openedLog();
    const put = (partition: number, records: readonly DecisionsRecord[]) =>
      bus.append(
        TOPICS.decisions,
        records.map((record) => ({ key: agentKey('acme', 'bot'), partition, value: JSON.stringify(record) })),
      );
    const epoch = { id: 'ep-1', generation: 1, previous: null, reason: '', at: wireTime(START_MS) };
    for (const partition of [late, busy]) await put(partition, [{ event: 'ledger.epoch', epoch }]);
    await put(late, [ADJUSTED]);
    const decisions = Array.from({ length: BETWEEN + 1 }, (_, n) => charged(n));
    for (let from = 0; from < decisions.length; from += 1_000)
      await put(busy, decisions.slice(from, from + 1_000));
    await put(busy, [settled()]);

    const { fold } = await foldLog(bus);
    const ledger = createMemoryLedger({
      clock: () => START_MS + 6 * DAY_MS,
      epoch: 'ep-2',
      state: fold.state,
    });
    const balances = await ledger.balances('acme');
    expect(balances.find(({ budget }) => budget.subject === 'bot')?.spent).toBe(
      (BETWEEN + 1) * 1_000_000 - 100_000,
    );
    expect(fold.unfinished.size).toBe(0);
  },
);
