import { manualClock } from '@mandate/runtime';
import { describe, expect, test } from 'vitest';
import { budget, planOf, rate, settleRequest, stepRequest } from '../contract/builders.ts';
import { playBatch } from '../contract/drive.ts';
import { recordsOf } from '../contract/records.ts';
import { stateOf } from '../contract/state-of.ts';
import { createFold, type Fold, foldRecord } from '../fold/fold.ts';
import { createMemoryLedger } from '../memory/memory-ledger.ts';
import { readSnapshot, readSnapshotHead } from './read-snapshot.ts';
import { writeSnapshot } from './write-snapshot.ts';

async function someFold(): Promise<Fold> {
  const ledger = createMemoryLedger({ clock: manualClock(1_000), epoch: 'epoch-1' });
  const plan = planOf({ limits: [budget({ id: 'w', windowMs: 60_000 }), rate({ maxCalls: 9 })] });
  const request = stepRequest({ plan, idempotencyKey: 'key' });
  const played = await playBatch(ledger, [request, settleRequest(request), stepRequest({ plan })]);
  const fold = createFold();
  recordsOf(played, 'epoch-1').forEach(({ record }, offset) => {
    foldRecord(fold, { source: { partition: 2, offset }, record });
  });
  foldRecord(fold, {
    source: { partition: 2, offset: 9 },
    record: {
      event: 'ledger.epoch',
      epoch: {
        id: 'epoch-1',
        generation: 7,
        previous: null,
        reason: 'first',
        at: '2026-01-01T00:00:00.000Z',
      },
    },
  });
  fold.digests.set(2, 'of the ninth');
  return fold;
}

const unreadable = expect.objectContaining({ code: 'SNAPSHOT_UNREADABLE', retryable: false });

describe('a snapshot', () => {
  test('restores the fold, its positions and the epochs in force', async () => {
    const fold = await someFold();
    const restored = await readSnapshot([...writeSnapshot(fold)]);
    expect(stateOf(restored.state, 1_000)).toEqual(stateOf(fold.state, 1_000));
    expect([...restored.positions]).toEqual([[2, 9]]);
    expect([...restored.digests]).toEqual([[2, 'of the ninth']]);
    expect([...restored.epochs]).toEqual([[2, { id: 'epoch-1', generation: 7 }]]);
  });

  test('has its positions and its number of deliveries in the first line', async () => {
    const fold = await someFold();
    const [head = ''] = writeSnapshot(fold);
    const { positions, digests } = fold;
    expect(readSnapshotHead(head)).toEqual({ positions, digests, deliveries: 3 });
    expect(() => readSnapshotHead(head.replace(/"version":\d+/, '"version":0'))).toThrow(unreadable);
    expect(() => readSnapshotHead('{')).toThrow(unreadable);
  });

  test('is identical if it is read and written again', async () => {
    const lines = [...writeSnapshot(await someFold())];
    expect([...writeSnapshot(await readSnapshot(lines))]).toEqual(lines);
  });

  test('restores an outcome that waits for its decision', async () => {
    const fold = await someFold();
    const moved = { deltaMicros: -7, excessMicros: 5, releasedMicros: -3 };
    const units = {
      tokens: { delta: -20, excess: 3, released: -1 },
      toolCalls: { delta: 6, excess: 0, released: 0 },
    };
    const waits = { ...moved, units, result: 'succeeded' as const, forgetAtMs: 5_000 };
    fold.state.pendingOutcomes.set('acme agent-1 a 1', waits);
    const { state } = await readSnapshot([...writeSnapshot(fold)]);
    expect([...state.pendingOutcomes.values()]).toEqual([waits]);
  });

  test('consists of lines of JSON without inner line ends', async () => {
    for (const line of writeSnapshot(await someFold())) expect(JSON.stringify(JSON.parse(line))).toBe(line);
  });

  test.each<[string, (lines: string[]) => string[]]>([
    ['cut short', (lines) => lines.slice(0, -1)],
    ['without one of its lines', (lines) => lines.toSpliced(3, 1)],
    ['with a figure changed', (lines) => lines.map((line) => line.replace('"spent":200', '"spent":100'))],
    ['without its head', (lines) => lines.slice(1)],
    ['of another version', (lines) => lines.map((line) => line.replace(/"version":\d+/, '"version":0'))],
    ['that is not JSON', (lines) => [...lines.slice(0, 2), '{']],
    ['of nothing', () => []],
  ])('refuses a snapshot %s', async (_what, spoil) => {
    const lines = [...writeSnapshot(await someFold())];
    const spoilt = spoil(lines);
    expect(spoilt).not.toEqual(lines);
    await expect(readSnapshot(spoilt)).rejects.toEqual(unreadable);
  });
});
