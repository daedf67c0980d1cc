import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { createLogger } from '@mandate/server';
import {
  byLength,
  describeWithOwnServers,
  IS_SHORT,
  type KafkaCluster,
  seededRandom,
  startKafka,
} from '@mandate/testing';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import type { Batch, Bus, Consumer, ConsumerOptions } from '../port.ts';
import { LogUnderTest } from './testing/log-under-test.ts';

describeWithOwnServers(['kafka'], 'groups, brokers and members that fail', () => {
  const PATIENCE = { timeout: 60_000, interval: 10 };

  let cluster: KafkaCluster;
  let log: LogUnderTest;
  let bus: Bus;
  let topic: string;
  let group: string;

  beforeAll(async () => {
    cluster = await startKafka({ config: { 'group.min.session.timeout.ms': '500' } });
  });
  afterAll(() => cluster?.stop());
  beforeEach(async () => {
    log = new LogUnderTest(cluster.brokers);
    bus = await log.open();
    topic = `faults.${randomUUID()}`;
    group = `${topic}.group`;
  });
  afterEach(() => log.close());

  function join(onBatch: (batch: Batch) => Promise<void>, fields: Partial<ConsumerOptions> = {}, on = bus) {
    return on.consume({ group, topics: [topic], from: 'earliest', onBatch, ...fields });
  }
  const commitAll = (batch: Batch) => batch.commit((batch.records.at(-1)?.position.offset ?? 0) + 1);
  const fill = async (value: string) => {
    const partitions = await bus.ranges(topic);
    return bus.append(
      topic,
      partitions.map(({ partition }) => ({ key: null, value, partition })),
    );
  };
  const hasNoLag = async (consumer: Consumer) =>
    expect((await consumer.lag()).every(({ lag }) => lag === 0)).toBe(true);

  test('refuses the commit of a member that paused longer than its session, and gives its partitions to another member', async () => {
    await bus.append(topic, [{ key: 'k', value: 'once' }]);
    const file = new URL('./system/slow-member.ts', import.meta.url).pathname;
    const member = spawn(process.execPath, [file, cluster.brokers[0] ?? '', topic, group, '1000'], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    try {
      const said: string[] = [];
      createInterface(member.stdout).on('line', (line) => said.push(line));
      await vi.waitFor(() => expect(said).toEqual(['taken']), PATIENCE);
      member.kill('SIGSTOP');
      let taken = 0;
      const other = await join(async (batch) => {
        taken += 1;
        await commitAll(batch);
      });
      await vi.waitFor(() => expect(taken).toBe(1), PATIENCE);
      await vi.waitFor(() => hasNoLag(other), PATIENCE);
      member.kill('SIGCONT');
      member.stdin.write('go on\n');
      await vi.waitFor(() => expect(said).toEqual(['taken', 'BUS_FENCED']), PATIENCE);
      await other.stop();
    } finally {
      member.kill('SIGKILL');
    }
  });

  test.skipIf(IS_SHORT)(
    'lets a member that lost its membership without noticing join again, and delivers records to it',
    async () => {
      let assignments = 0;
      const seen: string[] = [];
      const consumer = await join(
        async (batch) => {
          await commitAll(batch);
          // Counts records only after their commit, because the group delivers uncommitted records again after the
          // member is removed.
          seen.push(...batch.records.map(({ value }) => Buffer.from(value).toString()));
        },
        { sessionTimeoutMs: 500, onAssigned: async () => void assignments++ },
      );
      await vi.waitFor(() => expect(assignments).toBeGreaterThan(0), PATIENCE);
      const before = assignments;
      // Blocks the whole process, including heartbeats, until the group has removed the member.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2_000);
      await bus.append(topic, [{ key: 'k', value: 'afterwards' }]);
      await vi.waitFor(() => expect(seen).toEqual(['afterwards']), PATIENCE);
      await vi.waitFor(() => expect(assignments).toBeGreaterThan(before), PATIENCE);
      await consumer.stop();
    },
  );

  test.skipIf(IS_SHORT)(
    'keeps the partition during work that is longer than a session, even without a heartbeat from the handler',
    async () => {
      await bus.append(topic, [{ key: 'k', value: 'long work' }]);
      // The timeout is long, because heartbeats may be late on a busy machine.
      const sessionTimeoutMs = 2_000;
      let deliveries = 0;
      const consumer = await join(
        async (batch) => {
          deliveries += 1;
          await pause(2 * sessionTimeoutMs);
          await commitAll(batch);
        },
        { sessionTimeoutMs },
      );
      await vi.waitFor(() => expect(deliveries).toBe(1), PATIENCE);
      await vi.waitFor(() => hasNoLag(consumer), PATIENCE);
      expect(deliveries).toBe(1);
      await consumer.stop();
    },
  );

  test('misses no record while members join and leave all the time, and never gives a partition to two members at once', async () => {
    const random = seededRandom(20_261_121);
    const inHand = new Set<number>();
    const overlaps: number[] = [];
    const done = new Set<string>();
    const failures: unknown[] = [];
    const clients = [bus, await log.open(), await log.open()];
    const members: (Consumer | undefined)[] = [undefined, undefined, undefined];
    const batches = [0, 0, 0];
    const workOf = (who: number) => async (batch: Batch) => {
      if (inHand.has(batch.partition)) overlaps.push(batch.partition);
      inHand.add(batch.partition);
      await new Promise(setImmediate);
      for (const { position } of batch.records) done.add(`${position.partition}/${position.offset}`);
      await commitAll(batch).finally(() => inHand.delete(batch.partition));
      batches[who] = (batches[who] ?? 0) + 1;
    };
    let written = 0;
    const turns = byLength({ short: 6, full: 12 });
    for (let turn = 0; turn < turns; turn++) {
      const who = Math.floor(random() * members.length);
      await members[who]?.stop();
      if (members[who] !== undefined) {
        members[who] = undefined;
        continue;
      }
      const before = batches[who] ?? 0;
      const member = await join(workOf(who), { maxBatch: 1 }, clients[who]);
      member.finished.catch((error) => failures.push(error));
      members[who] = member;
      await vi.waitFor(async () => {
        written += (await fill(`${turn}`)).length;
        expect(batches[who]).toBeGreaterThan(before);
      }, PATIENCE);
    }
    const last = members.find((member) => member !== undefined) ?? (await join(workOf(0)));
    await vi.waitFor(() => hasNoLag(last), PATIENCE);
    expect(done.size).toBe(written);
    expect(overlaps).toEqual([]);
    expect(failures).toEqual([]);
  });

  test("lets a member leave at once while another member's long work delays its join", async () => {
    await fill('x');
    const { promise: opened, resolve: open } = Promise.withResolvers<void>();
    const signals: AbortSignal[] = [];
    const refusals: unknown[] = [];
    const busy = await join(
      async (batch) => {
        signals.push(batch.signal);
        await opened;
        await commitAll(batch).catch((error) => refusals.push(error));
      },
      { sessionTimeoutMs: 3_000 },
    );
    await vi.waitFor(() => expect(signals.length).toBeGreaterThan(0), PATIENCE);
    const joins = await join(commitAll, { sessionTimeoutMs: 3_000 }, await log.open());
    await vi.waitFor(() => expect(signals.some(({ aborted }) => aborted)).toBe(true), PATIENCE);
    await joins.stop();
    open();
    await vi.waitFor(() => hasNoLag(busy), PATIENCE);
    await busy.stop();
    // If the leaving member had waited for the end of the round, the busy member would have lost its partition. Then
    // its commit would be refused.
    expect(refusals).toEqual([]);
  });

  test('does not move a position whose record was deleted, so that the group halts again at its next start', async () => {
    await bus.append(topic, [
      { key: 'k', value: '0' },
      { key: 'k', value: '1' },
    ]);
    const first = await join((batch) => batch.commit(1));
    await vi.waitFor(
      async () => expect((await first.lag()).reduce((sum, { lag }) => sum + lag, 0)).toBe(1),
      PATIENCE,
    );
    await first.stop();
    await log.expire(topic);
    await bus.append(topic, [{ key: 'k', value: '2' }]);
    for (let start = 0; start < 2; start++) {
      const consumer = await join(commitAll);
      await expect(consumer.finished).rejects.toMatchObject({
        code: 'BUS_OFFSET_LOST',
        message: expect.stringMatching(/is at offset 1 of .* which holds 2 to 3/),
      });
    }
  });

  test('warns if a group without a position starts after deleted records', async () => {
    await bus.append(topic, [{ key: 'k', value: 'gone' }]);
    await log.expire(topic);
    await bus.append(topic, [{ key: 'k', value: 'there' }]);
    const lines: string[] = [];
    const write = (line: string) => void lines.push(line);
    const logger = createLogger({ name: 'test', level: 'warn', destination: { write } });
    const seen: string[] = [];
    const consumer = await join(
      async (batch) => {
        seen.push(...batch.records.map(({ value }) => Buffer.from(value).toString()));
        await commitAll(batch);
      },
      {},
      await log.open({ log: logger }),
    );
    await vi.waitFor(() => expect(seen).toEqual(['there']), PATIENCE);
    await consumer.stop();
    expect(lines.filter((line) => line.includes('perhaps never handled'))).toHaveLength(1);
  });

  test.skipIf(IS_SHORT)('continues consumers and readers after a broker dies and restarts', async () => {
    await fill('before');
    const consumed: string[] = [];
    const read: string[] = [];
    const textsOf = (records: Batch['records']) => records.map(({ value }) => Buffer.from(value).toString());
    const consumer = await join(async (batch) => {
      consumed.push(...textsOf(batch.records));
      await commitAll(batch);
    });
    const reader = await bus.read({
      topics: [topic],
      from: 'earliest',
      onRecords: (records) => void read.push(...textsOf(records)),
    });
    await vi.waitFor(() => hasNoLag(consumer), PATIENCE);
    await cluster.nodes[0]?.kill();
    await expect(bus.ping()).rejects.toMatchObject({ code: 'BUS_UNAVAILABLE' });
    await cluster.nodes[0]?.restart();
    await vi.waitFor(() => fill('after'), PATIENCE);
    await vi.waitFor(() => hasNoLag(consumer), PATIENCE);
    expect(new Set(consumed)).toEqual(new Set(['before', 'after']));
    await vi.waitFor(() => expect(new Set(read)).toEqual(new Set(['before', 'after'])), PATIENCE);
    await Promise.all([consumer.stop(), reader.stop()]);
  });

  test.skipIf(IS_SHORT)(
    'continues with the other topics after a topic is deleted, and reads this topic again when it exists again',
    async () => {
      const goes = `goes.${randomUUID()}`;
      const seen: string[] = [];
      const take = async (batch: Batch) => {
        await commitAll(batch);
        seen.push(...batch.records.map(({ value }) => `${batch.topic} ${Buffer.from(value)}`));
      };
      for (const each of [topic, goes]) await bus.makeTopic(each);
      const clients = [await log.open({ createTopics: false }), await log.open({ createTopics: false })];
      const members = await Promise.all(clients.map((on) => join(take, { topics: [topic, goes] }, on)));
      const reads = async (value: string, of: string) => {
        const partitions = await bus.ranges(of);
        const records = partitions.map(({ partition }) => ({ key: null, value, partition }));
        await bus.append(of, records);
        const isIt = (each: string) => each === `${of} ${value}`;
        await vi.waitFor(() => expect(seen.filter(isIt)).toHaveLength(partitions.length), PATIENCE);
      };
      for (const each of [topic, goes]) await reads('before', each);

      await log.deleteTopic(goes);
      await reads('without it', topic);
      const later = `later.${randomUUID()}`;
      await bus.makeTopic(later);
      for (const member of members) await member.follow([topic, goes, later]);
      await reads('followed since', later);
      const lags = await Promise.all(members.map((member) => member.lag()));
      expect(new Set(lags.flat().map((place) => place.topic))).toEqual(new Set([topic, later]));
      await members[0]?.stop();
      await reads('by the other', topic);

      // Kafka deletes the group's positions in the topic a moment after the topic.
      const positions = async () => (await bus.positions(group)).filter((place) => place.topic === goes);
      await vi.waitFor(async () => expect(await positions()).toEqual([]), PATIENCE);
      await (await log.open()).makeTopic(goes);
      await reads('again', goes);
      await members[1]?.stop();
    },
  );

  test('gives new partitions to the running readers and consumers, from the start of the partitions', async () => {
    const eager = await log.open({ metadataAgeMs: 100 });
    const [before = 0] = [(await eager.ranges(topic)).length];
    const consumed = new Set<number>();
    const read = new Set<number>();
    const consumer = await join(
      async (batch) => {
        consumed.add(batch.partition);
        await commitAll(batch);
      },
      {},
      eager,
    );
    const reader = await eager.read({
      topics: [topic],
      from: 'latest',
      onRecords(records) {
        for (const { position } of records) read.add(position.partition);
      },
    });
    await reader.caughtUp;
    await log.addPartitions(topic, before + 1);
    const added = await log.open();
    await added.append(topic, [{ key: null, value: 'x', partition: before }]);
    await vi.waitFor(() => expect([...consumed, ...read]).toEqual([before, before]), PATIENCE);
    await Promise.all([consumer.stop(), reader.stop()]);
  });
});
