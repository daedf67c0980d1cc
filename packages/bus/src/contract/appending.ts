import { expect, test } from 'vitest';
import { keyPartition } from '../key-partition.ts';
import type { LogRecord, Outgoing } from '../port.ts';
import { expectFailure, type Scene, text } from './scene.ts';

export function appending(scene: Scene): void {
  test('acknowledges each record with its position, in the given order, with offsets from 0', async () => {
    const keys = Array.from({ length: 50 }, (_, i) => `agent-${i % 7}`);
    const acks = await scene.append(...keys.map((key, i) => [key, `${i}`] as const));
    const partitions = await scene.partitions();
    const next = new Map<number, number>();
    expect(acks.map(({ position }) => position)).toEqual(
      keys.map((key) => {
        const partition = keyPartition(key, partitions);
        const offset = next.get(partition) ?? 0;
        next.set(partition, offset + 1);
        return { topic: scene.topic, partition, offset };
      }),
    );
  });

  test('keeps the order of the records of a key over many calls, even if the caller awaits no call', async () => {
    await Promise.all(Array.from({ length: 200 }, (_, i) => scene.append(['one', `${i}`])));
    for (let i = 200; i < 220; i++) await scene.append(['one', `${i}`]);
    expect((await scene.everything()).map(text)).toEqual(Array.from({ length: 220 }, (_, i) => `${i}`));
  });

  test('writes to the partition that a record names, even if its key belongs to another partition', async () => {
    const last = (await scene.partitions()) - 1;
    const records = ['a', 'b', 'c', 'd'].map((key) => ({ key, value: '', partition: last }));
    const acks = await scene.bus.append(scene.topic, records);
    expect(acks.map(({ position }) => position.partition)).toEqual([last, last, last, last]);
  });

  test('appends an urgent record before all the earlier records are on the log', async () => {
    const done: string[] = [];
    const large = 'x'.repeat(100_000);
    const ordinary = Array.from({ length: 60 }, (_, n) =>
      scene.append(['one', `${n}${large}`]).then(() => done.push('ordinary')),
    );
    const record = { key: 'one', value: 'urgent' };
    await scene.bus.append(scene.topic, [record], { urgent: true });
    expect(done.length).toBeLessThan(ordinary.length);
    await Promise.all(ordinary);
    expect((await scene.everything()).map(text)).toContain('urgent');
  });

  test('spreads records without a key over the partitions, and returns them without a key', async () => {
    const count = (await scene.partitions()) * 25;
    await Promise.all(Array.from({ length: count }, () => scene.append([null, 'x'])));
    const records = await scene.everything();
    expect(records.every(({ key }) => key === null)).toBe(true);
    expect(records).toHaveLength(count);
    expect(new Set(records.map(({ position }) => position.partition)).size).toBe(await scene.partitions());
  });

  test('returns key, bytes and headers as they were written', async () => {
    const bytes = Uint8Array.from({ length: 256 }, (_, i) => i);
    const written: Outgoing[] = [
      { key: 'k', value: bytes, headers: { traceparent: '00-1', 'x-ünï': 'wörth\n', empty: '' } },
      { key: '', value: '' },
      { key: 'größe/✓', value: new Uint8Array() },
      { key: 'k', value: '{"a":"✓ \\u0000"}' },
      { key: 'k', value: Buffer.from('inside a larger buffer').subarray(7, 15) },
    ];
    const acks = await scene.bus.append(scene.topic, written);
    for (const [i, { key, value, headers }] of written.entries()) {
      const position = acks[i]?.position ?? { topic: '', partition: 0, offset: 0 };
      const record = await scene.bus.at(position);
      expect(record).toMatchObject({
        key,
        headers: headers ?? {},
        position,
        appendedAtMs: acks[i]?.appendedAtMs,
      });
      expect(Buffer.from(record?.value ?? 'none')).toEqual(Buffer.from(value));
      expect(record?.value).toBeInstanceOf(Uint8Array);
    }
  });

  test('returns append times that the log has set and that never decrease within a partition', async () => {
    const before = Date.now();
    for (let i = 0; i < 20; i++) await scene.append(['one', `${i}`]);
    const times = (await scene.everything()).map(({ appendedAtMs }) => appendedAtMs);
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    expect(times.every((time) => Number.isSafeInteger(time) && Math.abs(time - before) < 60_000)).toBe(true);
  });

  test('shows acknowledged records to other clients, also after their writer has closed', async () => {
    const acks = await scene.append(['a', '1'], ['b', '2'], ['c', '3']);
    const other = await scene.another();
    // An append that is retried may write a record twice, so the test counts values and not records.
    expect(new Set((await scene.everything(other)).map(text))).toEqual(new Set(['1', '2', '3']));
    await scene.bus.close();
    const later = await scene.another();
    for (const { position } of acks) expect(await later.at(position)).not.toBeNull();
  });

  test('appends a large batch whole and in order', async () => {
    const records = Array.from({ length: 12_000 }, (_, i) => ({ key: `agent-${i % 20}`, value: `${i}` }));
    const acks = await scene.bus.append(scene.topic, records);
    expect(acks).toHaveLength(records.length);
    const byKey = Object.groupBy(await scene.everything(), ({ key }) => key ?? '');
    for (const [key, found = []] of Object.entries(byKey)) {
      const wanted = records.filter((record) => record.key === key).map(({ value }) => value);
      expect(found.map(text)).toEqual(wanted);
    }
    expect(Object.keys(byKey)).toHaveLength(20);
  });

  test('loses no record when several clients append at once: offsets have no gaps, and each client’s order is kept', async () => {
    const clients = [scene.bus, await scene.another(), await scene.another()];
    await scene.partitions();
    await Promise.all(
      clients.map(async (client, who) => {
        for (let i = 0; i < 40; i++)
          await client.append(scene.topic, [{ key: 'shared', value: `${who}:${i}` }]);
      }),
    );
    const records = await scene.everything();
    expect(records.map(({ position }) => position.offset)).toEqual(Array.from({ length: 120 }, (_, i) => i));
    for (const who of clients.keys()) {
      expect(ofClient(records, who)).toEqual(Array.from({ length: 40 }, (_, i) => `${who}:${i}`));
    }
  });

  test('acknowledges an empty append with an empty list', async () => {
    expect(await scene.bus.append(scene.topic, [])).toEqual([]);
  });

  test('refuses a partition that does not exist, and writes nothing', async () => {
    const partition = await scene.partitions();
    const records = [
      { key: 'a', value: '1' },
      { key: 'a', value: '2', partition },
    ];
    await expectFailure(scene.bus.append(scene.topic, records), 'BUS_MISUSED');
    expect(await scene.everything()).toEqual([]);
  });
}

function ofClient(records: readonly LogRecord[], who: number): string[] {
  return records.map(text).filter((value) => value.startsWith(`${who}:`));
}
