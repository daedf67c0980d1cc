import { existsSync, lstatSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Bus, createSqliteBus } from '@mandate/bus';
import type { Ledger } from '@mandate/ledger';
import { loadMandates } from '@mandate/policy';
import { manualClock, silentLogger } from '@mandate/runtime';
import { TOPICS } from '@mandate/schemas';
import { temporaryFolder } from '@mandate/testing';
import { expect, onTestFinished, test } from 'vitest';
import { answerBatch } from './answer-batch.ts';
import { restoreLedger } from './restore-ledger.ts';

const log = silentLogger();
const clock = manualClock(Date.parse('2026-01-01T00:00:00Z'));
const loaded = loadMandates('version: 1\nid: m\nagents: ["*"]\ntoolPolicies: { pay: { cost: 0.01 } }\n');
const mandates = loaded.ok ? loaded.mandates : [];

test('a snapshot and the tail behind it give what the whole log gives', async () => {
  const { bus, snapshotPath } = await opened();
  const first = await restoreLedger({ bus, clock, log, snapshotPath, snapshotAfterRecords: 10 });
  await decide(bus, first.ledger, 0, 30);
  const second = await restoreLedger({ bus, clock, log, snapshotPath, snapshotAfterRecords: 10 });
  expect(existsSync(snapshotPath)).toBe(true);
  await decide(bus, second.ledger, 30, 5);

  const third = await restoreLedger({ bus, clock, log, snapshotPath, snapshotAfterRecords: 1_000 });
  const whole = await restoreLedger({ bus, clock, log });
  expect(third.records).toBeLessThan(whole.records);
  expect(await third.ledger.balances('default')).toEqual(await whole.ledger.balances('default'));
  expect(await third.ledger.open('default')).toEqual(await whole.ledger.open('default'));
  expect(await third.ledger.balances('default')).toMatchObject([{ spentMicros: 35 * 10_000 }]);
});

test('a snapshot that is cut short or of another log is passed over', async () => {
  const { bus, snapshotPath } = await opened();
  const first = await restoreLedger({ bus, clock, log, snapshotPath, snapshotAfterRecords: 1 });
  await decide(bus, first.ledger, 0, 20);
  await restoreLedger({ bus, clock, log, snapshotPath, snapshotAfterRecords: 1 });
  const text = readFileSync(snapshotPath, 'utf8');

  const other = await opened();
  writeFileSync(other.snapshotPath, text);
  const empty = await restoreLedger({ bus: other.bus, clock, log, snapshotPath: other.snapshotPath });
  expect(await empty.ledger.balances('default')).toEqual([]);

  writeFileSync(snapshotPath, text.slice(0, -20));
  const { ledger } = await restoreLedger({ bus, clock, log, snapshotPath });
  expect(await ledger.balances('default')).toMatchObject([{ spentMicros: 20 * 10_000 }]);
});

test('a disk without room for a snapshot keeps no ledger from coming back, and is left none of it', async () => {
  const { bus, snapshotPath } = await opened();
  const first = await restoreLedger({ bus, clock, log });
  await decide(bus, first.ledger, 0, 20);
  symlinkSync('/dev/full', `${snapshotPath}.unfinished`);
  const { ledger } = await restoreLedger({ bus, clock, log, snapshotPath, snapshotAfterRecords: 1 });
  expect(await ledger.balances('default')).toMatchObject([{ spentMicros: 20 * 10_000 }]);
  expect(lstatSync(`${snapshotPath}.unfinished`, { throwIfNoEntry: false })).toBeUndefined();
  expect(existsSync(snapshotPath)).toBe(false);
});

test('a log put back from a backup and written on is told from the one that the snapshot is of', async () => {
  const { bus, snapshotPath } = await opened();
  const lost = await restoreLedger({ bus, clock, log });
  await decide(bus, lost.ledger, 0, 20);
  await restoreLedger({ bus, clock, log, snapshotPath, snapshotAfterRecords: 1 });

  const backup = await opened();
  const first = await restoreLedger({ bus: backup.bus, clock, log, snapshotPath });
  await decide(backup.bus, first.ledger, 100, 50);
  const next = await restoreLedger({ bus: backup.bus, clock, log, snapshotPath });
  expect(await next.ledger.balances('default')).toMatchObject([{ spentMicros: 50 * 10_000 }]);
});

async function opened() {
  const folder = temporaryFolder();
  const bus = await createSqliteBus({ path: join(folder, 'log.sqlite'), log });
  onTestFinished(() => bus.close());
  return { bus, snapshotPath: join(folder, 'snapshot.ndjson') };
}

async function decide(bus: Bus, ledger: Ledger, from: number, count: number): Promise<void> {
  const encoder = new TextEncoder();
  const batch = Array.from({ length: count }, (_, n) => {
    const action = { id: `a${from + n}`, agentId: 'payer', type: 'tool_call', tool: 'pay' };
    return {
      source: { topic: TOPICS.actions, partition: 0, offset: String(from + n) },
      appendedAtMs: clock(),
      key: null,
      value: encoder.encode(JSON.stringify({ event: 'action.requested', action })),
    };
  });
  const context = {
    ledger,
    control: () => ({ mandates, revision: 1 }),
    redact: <A>(action: A) => action,
    clock,
    deadlines: true,
  };
  const { answers, operations } = await answerBatch(batch, context);
  const records = answers.flatMap((answer) =>
    answer.kind === 'record' ? [{ key: answer.key, value: JSON.stringify(answer.record) }] : [],
  );
  await bus.append(TOPICS.decisions, records);
  await ledger.confirm(ledger.epoch, operations);
}
