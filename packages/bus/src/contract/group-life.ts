import { expect, test } from 'vitest';
import type { Batch } from '../port.ts';
import { afterLast, gate, type Scene, text } from './scene.ts';

export function groupLife(scene: Scene): void {
  test('continues in a new member at the last committed position of the group', async () => {
    await scene.append(['k', '0'], ['k', '1']);
    const first = await scene.consume('g', (batch) => batch.commit(afterLast(batch)));
    await scene.untilNoLag(first);
    await first.stop();
    await scene.append(['k', '2']);
    const seen: string[] = [];
    const second = await scene.consume('g', remember(seen), {}, await scene.another());
    await scene.untilNoLag(second);
    await second.stop();
    expect(seen).toEqual(['2']);
  });

  test('lists the positions of groups by name prefix for every client, even if their members have left', async () => {
    const [first] = await scene.append(['k', '0'], ['k', '1']);
    const consumer = await scene.consume('g.1', (batch) => batch.commit(afterLast(batch)));
    await scene.untilNoLag(consumer);
    await consumer.stop();
    const other = await scene.consume('h', async () => {}, { from: 'latest' });
    await scene.append(['k', '2']);
    const { partition } = first?.position ?? {};
    const bus = await scene.another();
    const positions = await bus.positions(`${scene.topic}.g`);
    expect(positions).toHaveLength(await scene.partitions());
    expect(positions.filter(({ nextOffset }) => nextOffset > 0)).toEqual([
      { group: `${scene.topic}.g.1`, topic: scene.topic, partition, nextOffset: 2 },
    ]);
    expect(await bus.positions(`${scene.topic}.nobody`)).toEqual([]);
    await other.stop();
  });

  test('fixes the start of a group when its first member joins', async () => {
    await scene.append(['k', 'before']);
    const first = await scene.consume('g', async () => {}, { from: 'latest' });
    await first.stop();
    await scene.append(['k', 'between']);
    const seen: string[] = [];
    const second = await scene.consume('g', remember(seen), { from: 'latest' });
    await scene.append(['k', 'after']);
    await scene.untilNoLag(second);
    await second.stop();
    expect(seen).toEqual(['between', 'after']);
  });

  test('shares the partitions between two members, and misses no record', async () => {
    const byMember: Batch[][] = [[], []];
    const clients = [scene.bus, await scene.another()];
    const consumers = [];
    for (const [who, client] of clients.entries()) {
      const handle = async (batch: Batch) => {
        byMember[who]?.push(batch);
        await batch.commit(afterLast(batch));
      };
      consumers.push(await scene.consume('g', handle, {}, client));
    }
    let rounds = 0;
    await scene.until(async () => {
      for (const batches of byMember) batches.length = 0;
      const partitions = await scene.fillEveryPartition(`${rounds++}`);
      await scene.until(() => expect(distinctRecords(byMember.flat(), rounds - 1)).toBe(partitions));
      expect(byMember.every((batches) => batches.length > 0)).toBe(true);
    });
    const [ofFirst = [], ofSecond = []] = byMember.map((batches) =>
      batches.map(({ partition }) => partition),
    );
    expect(ofFirst.filter((partition) => ofSecond.includes(partition))).toEqual([]);
    for (const consumer of consumers) expect(await consumer.lag()).toHaveLength(await scene.partitions());
    await Promise.all(consumers.map((consumer) => consumer.stop()));
  });

  test('calls onAssigned once for each partition, before its first batch', async () => {
    const partitions = await scene.fillEveryPartition('x');
    const assigned: number[] = [];
    const early: number[] = [];
    const consumer = await scene.consume(
      'g',
      async (batch) => {
        if (!assigned.includes(batch.partition)) early.push(batch.partition);
        await batch.commit(afterLast(batch));
      },
      {
        async onAssigned(partitions) {
          await new Promise(setImmediate);
          assigned.push(...partitions.map(({ partition }) => partition));
        },
      },
    );
    await scene.untilNoLag(consumer);
    await consumer.stop();
    expect(early).toEqual([]);
    expect(assigned.toSorted((a, b) => a - b)).toEqual(Array.from({ length: partitions }, (_, i) => i));
  });

  test('ends the consumer if onAssigned throws', async () => {
    const consumer = await scene.consume('g', async () => {}, {
      onAssigned: () => Promise.reject(new Error('cannot load')),
    });
    await expect(consumer.finished).rejects.toThrow('cannot load');
  });

  test('finishes and commits the current batch on stop, starts no other batch, and releases its partitions at once', async () => {
    await scene.append(['k', '0'], ['k', '1'], ['k', '2']);
    const started = gate();
    const { open, opened } = gate();
    const seen: string[] = [];
    const aborted: boolean[] = [];
    const consumer = await scene.consume(
      'g',
      async (batch) => {
        seen.push(...batch.records.map(text));
        await batch.heartbeat();
        started.open();
        await opened;
        aborted.push(batch.signal.aborted);
        await batch.commit(afterLast(batch));
      },
      { maxBatch: 1, sessionTimeoutMs: scene.patienceMs * 10 },
    );
    await started.opened;
    const stopped = consumer.stop();
    open();
    await stopped;
    await expect(consumer.finished).resolves.toBeUndefined();
    expect(seen).toEqual(['0']);
    expect(aborted).toEqual([true]);

    // The session timeout is longer than this test. So the member left the group itself, and its session did not time
    // out.
    const rest: string[] = [];
    const next = await scene.consume('g', remember(rest), {}, await scene.another());
    await scene.untilNoLag(next);
    await next.stop();
    expect(rest).toEqual(['1', '2']);
  });

  test('refuses commit and heartbeat of a member that lost the partition, but the member continues', async () => {
    await scene.append(['k', '0'], ['k', '1']);
    const started = gate();
    const { open, opened } = gate();
    const late = Promise.withResolvers<unknown[]>();
    const slow = await scene.consume('g', async (batch) => {
      started.open();
      await opened;
      const refusals = await Promise.allSettled([batch.commit(afterLast(batch)), batch.heartbeat()]);
      late.resolve(
        refusals.map((refusal) => (refusal.status === 'rejected' ? refusal.reason.code : 'accepted')),
      );
      await batch.commit(afterLast(batch));
    });
    await started.opened;
    await slow.stop(10);
    const seen: string[] = [];
    const { open: allow, opened: allowed } = gate();
    const next = await scene.consume('g', async (batch) => {
      seen.push(...batch.records.map(text));
      await allowed;
      await batch.commit(afterLast(batch));
    });
    await scene.until(() => expect(seen).toEqual(['0', '1']));
    open();
    expect(await late.promise).toEqual(['BUS_FENCED', 'BUS_FENCED']);
    expect((await next.lag()).some(({ lag }) => lag === 2)).toBe(true);
    allow();
    await scene.untilNoLag(next);
    await next.stop();
    await expect(slow.finished).resolves.toBeUndefined();
  });

  test('waits on stop for at most the given time', async () => {
    await scene.append(['k', '0']);
    const started = gate();
    const { open, opened } = gate();
    const consumer = await scene.consume('g', async () => {
      started.open();
      await opened;
    });
    await started.opened;
    await consumer.stop(20);
    await expect(consumer.finished).resolves.toBeUndefined();
    open();
  });

  test('ends the consumer with the error of its handler, and another member gets its partitions', async () => {
    await scene.append(['k', '0']);
    const failing = await scene.consume('g', () => Promise.reject(new Error('cannot')));
    await expect(failing.finished).rejects.toThrow('cannot');
    await failing.stop();
    const seen: string[] = [];
    const next = await scene.consume('g', remember(seen), {}, await scene.another());
    await scene.untilNoLag(next);
    await next.stop();
    expect(seen).toEqual(['0']);
  });

  test('gives some partitions to a member that joins while the first member works', async () => {
    const partitions = await scene.fillEveryPartition('x');
    const first: number[] = [];
    const second: number[] = [];
    const holdsAll = await scene.consume('g', async (batch) => {
      first.push(batch.partition);
      await batch.commit(afterLast(batch));
    });
    await scene.until(() => expect(new Set(first).size).toBe(partitions));
    const assigned: number[] = [];
    const joins = await scene.consume(
      'g',
      async (batch) => {
        second.push(batch.partition);
        await batch.commit(afterLast(batch));
      },
      {
        onAssigned: async (partitions) => void assigned.push(...partitions.map(({ partition }) => partition)),
      },
      await scene.another(),
    );
    await scene.until(() => expect(assigned).toHaveLength(Math.floor(partitions / 2)));
    await scene.fillEveryPartition('y');
    await scene.untilNoLag(joins);
    expect(second.toSorted()).toEqual(assigned.toSorted());
    await Promise.all([holdsAll.stop(), joins.stop()]);
  });

  test('moves a partition to another member only after the current batch is done', async () => {
    const partitions = await scene.fillEveryPartition('first');
    const { open, opened } = gate();
    const signals: AbortSignal[] = [];
    const busy = await scene.consume('g', async (batch) => {
      signals.push(batch.signal);
      await opened;
      await batch.commit(afterLast(batch));
    });
    await scene.until(() => expect(signals).toHaveLength(partitions));
    const seen: string[] = [];
    const joins = await scene.consume('g', remember(seen), {}, await scene.another());
    await scene.until(() => expect(signals.some(({ aborted }) => aborted)).toBe(true));
    await scene.append(['k', 'meanwhile']);
    open();
    await scene.untilNoLag(joins);
    await scene.fillEveryPartition('second');
    await scene.until(() => expect(seen).toContain('second'));
    expect(seen).not.toContain('first');
    await Promise.all([busy.stop(), joins.stop()]);
  });

  test('never moves a position back', async () => {
    await scene.append(['k', '0'], ['k', '1']);
    const consumer = await scene.consume('g', async (batch) => {
      await batch.commit(afterLast(batch));
      await batch.commit(batch.records[0]?.position.offset ?? 0);
    });
    await scene.untilNoLag(consumer);
    await consumer.stop();
    expect((await consumer.lag()).every(({ lag }) => lag === 0)).toBe(true);
  });
}

function remember(seen: string[]): (batch: Batch) => Promise<void> {
  return async (batch) => {
    seen.push(...batch.records.map(text));
    await batch.commit(afterLast(batch));
  };
}

/** Returns the number of records with the number of the round as value. Each log position counts once. */
function distinctRecords(batches: readonly Batch[], round: number): number {
  const partitions = batches
    .flatMap(({ records }) => records)
    .filter((record) => text(record) === `${round}`)
    .map(({ position }) => `${position.partition}:${position.offset}`);
  return new Set(partitions).size;
}
