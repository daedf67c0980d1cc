import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import type { Bus, LogRecord, Outgoing } from '../port.ts';
import { Scratch } from './testing/scratch.ts';

/** The timeout is long for a busy machine. */
const PATIENCE = { timeout: 20_000, interval: 2 };

const outgoing: fc.Arbitrary<Outgoing> = fc.record({
  key: fc.constantFrom(null, 'a', 'b', 'lone \ud800', 'nul \0', ''),
  value: fc.oneof(fc.string({ unit: 'binary' }), fc.uint8Array({ maxLength: 8 })),
  headers: fc.constantFrom({}, { traceparent: '00-1', odd: 'é\ud800' }),
  partition: fc.nat({ max: 1 }),
});

/** A list of appends: which of the two processes appends, and the appended records. */
const appends = fc.array(fc.tuple(fc.boolean(), fc.array(outgoing, { minLength: 1, maxLength: 3 })), {
  minLength: 1,
  maxLength: 8,
});

test('gives a reader that has caught up all records of the file, even if another process appended them', async () => {
  const scratch = new Scratch();
  await scratch.make();
  const ours = await scratch.open({ partitions: 2 });
  const other = await scratch.open({ partitions: 2 });
  let round = 0;
  await fc.assert(
    fc.asyncProperty(appends, async (turns) => {
      const topic = `t${round++}`;
      const read = await following(ours, topic);
      for (const [byUs, records] of turns) {
        const placed = await (byUs ? ours : other).append(topic, records);
        if (byUs) await vi.waitFor(() => expect(read.length).toBeGreaterThanOrEqual(placed.length), PATIENCE);
      }
      const count = turns.reduce((sum, [, records]) => sum + records.length, 0);
      await vi.waitFor(() => expect(read).toHaveLength(count), PATIENCE);
      const inFile = await following(await scratch.open(), topic);
      await vi.waitFor(() => expect(inFile).toHaveLength(count), PATIENCE);
      expect(inOrder(read)).toStrictEqual(inOrder(inFile));
    }),
    { numRuns: 15 },
  );
  await scratch.remove();
});

test('shows the original bytes to readers if a producer changes its bytes after the append', async () => {
  const scratch = new Scratch();
  await scratch.make();
  const bus = await scratch.open({ partitions: 1 });
  const read = await following(bus, 't');
  const bytes = new Uint8Array([1, 2, 3]);
  for (const _ of 'ab') {
    await bus.append('t', [{ key: null, value: bytes }]);
    bytes.fill(0);
  }
  await vi.waitFor(() => expect(read).toHaveLength(2), PATIENCE);
  expect(read.map(({ value }) => [...value])).toEqual([
    [1, 2, 3],
    [0, 0, 0],
  ]);
  await scratch.remove();
});

test('gives the written object to readers in the writer’s process, and only the text to other readers', async () => {
  const scratch = new Scratch();
  await scratch.make();
  const ours = await scratch.open({ partitions: 1 });
  const other = await scratch.open({ partitions: 1 });
  const [read, elsewhere] = await Promise.all([following(ours, 't'), following(other, 't')]);
  const action = { id: 'a', agentId: 'bot', type: 'tool_call', tool: 'look' } as const;
  const written = { event: 'action.requested', action } as const;
  await ours.append('t', [{ key: null, value: JSON.stringify(written), written }]);
  await vi.waitFor(() => expect([read.length, elsewhere.length]).toEqual([1, 1]), PATIENCE);
  expect(read[0]?.written).toBe(written);
  expect(elsewhere[0]).not.toHaveProperty('written');
  await scratch.remove();
});

async function following(bus: Bus, topic: string): Promise<LogRecord[]> {
  const read: LogRecord[] = [];
  const reader = await bus.read({
    topics: [topic],
    from: 'earliest',
    onRecords: (all) => void read.push(...all),
  });
  await reader.caughtUp;
  return read;
}

function inOrder(records: readonly LogRecord[]) {
  return records.toSorted(
    ({ position: a }, { position: b }) => a.partition - b.partition || a.offset - b.offset,
  );
}
