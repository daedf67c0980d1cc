/** Bad records that a tenant appends with its own Kafka client. They delay no tenant, not even the tenant itself. */

import type { Bus, LogRecord } from '@mandate/bus';
import { createKafkaBus } from '@mandate/bus/kafka';
import { createMemoryLedger } from '@mandate/ledger';
import { mandatesOfFile } from '@mandate/policy';
import { loadMandates } from '@mandate/policy/documents';
import { silentLogger, systemClock } from '@mandate/runtime';
import { CAPS, type DeadLetter, readDecisionsRecord, TOPICS, topicOfTenant } from '@mandate/schemas';
import { createMetrics } from '@mandate/server';
import { describeWithOwnServers, type KafkaCluster, plainProducer, startKafka } from '@mandate/testing';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { type Decider, startDecider } from './app.ts';

const GZIP = 1;
const MIB = 1024 * 1024;
const OWN = topicOfTenant('acme');
const log = silentLogger();
const loaded = loadMandates('version: 1\nid: m\nagents: ["*"]\ntoolPolicies: { pay: { cost: 0.01 } }\n');
const mandates = loaded.ok ? loaded.mandates : [];

const ask = (id: string, tenant?: string) =>
  JSON.stringify({
    event: 'action.requested',
    action: { id, tenant, agentId: 'x', type: 'tool_call', tool: 'pay' },
  });

describeWithOwnServers(['kafka'], 'what a tenant sends without the gateway', () => {
  let kafka: KafkaCluster;
  beforeAll(async () => {
    kafka = await startKafka();
  });
  afterAll(() => kafka?.stop());

  test('becomes a dead letter if it is unreadable, and all other records are decided, even after a restart', async () => {
    const bus = await openBus();
    const producer = await plainProducer(kafka.brokers);
    const bomb = { topic: OWN, compression: GZIP, messages: [{ value: Buffer.alloc(33 * MIB, ' ') }] };
    const headers = Object.fromEntries(Array.from({ length: 1_001 }, (_, i) => [i, 'x'.repeat(300)]));
    await producer.send(bomb);
    await producer.send({ topic: OWN, messages: [{ value: ask('headers'), headers }] });
    await producer.send({
      topic: OWN,
      messages: [{ value: 'long header', headers: { long: 'x'.repeat(MIB - 1_000) } }],
    });
    await producer.send({
      topic: OWN,
      messages: [{ partition: 0, key: 'k'.repeat(400_000), value: 'long key' }],
    });
    await producer.send({ topic: OWN, messages: [{ key: 'k', value: null }] });
    await producer.send({ topic: OWN, messages: [{ key: 'k', value: 'x'.repeat(CAPS.recordBytes + 1) }] });
    await producer.send({ topic: OWN, messages: [{ key: 'acme/x', value: ask('behind') }] });
    await bus.append(TOPICS.actions, [{ key: 'other/x', value: ask('beside', 'other') }]);

    const first = await decider(bus);
    await first.caughtUp(AbortSignal.timeout(60_000));
    await first.stop();
    const letters = await deadLetters(bus);
    expect(letters.map(({ source, fault }) => [source.topic, source.offset, fault.reason])).toEqual([
      [
        OWN,
        0,
        expect.stringContaining('up to offset 0 cannot be read: it would become more than 33554432 bytes'),
      ],
      [OWN, 1, expect.stringContaining('1001 headers')],
      [OWN, 2, expect.any(String)],
      [OWN, 3, expect.any(String)],
      [OWN, 4, 'the record is empty'],
      [OWN, 5, expect.stringContaining(`${CAPS.recordBytes + 1} bytes`)],
    ]);
    const [bombed, headed, , keyed] = letters;
    expect(bombed).toMatchObject({ key: null, lastOffset: 0, truncated: false });
    expect(Buffer.from(bombed?.valueBase64 ?? '', 'base64')).toHaveLength(bombed?.bytes ?? 0);
    expect(headed).toMatchObject({ truncated: true });
    expect(headed?.bytes).toBeGreaterThan(CAPS.recordBytes);
    expect(keyed?.key).toHaveLength(CAPS.keyUnits);
    expect(await decidedOn(bus)).toEqual(['behind', 'beside']);

    await producer.send(bomb);
    await producer.send({ topic: OWN, messages: [{ key: 'acme/x', value: ask('again') }] });
    const second = await decider(bus);
    await second.caughtUp(AbortSignal.timeout(60_000));
    await second.stop();
    expect((await deadLetters(bus)).map(({ source }) => source.offset)).toEqual([0, 1, 2, 3, 4, 5, 7]);
    expect(await decidedOn(bus)).toEqual(['again', 'behind', 'beside']);
  });

  async function openBus(): Promise<Bus> {
    const bus = await createKafkaBus({
      brokers: kafka.brokers,
      clientId: 'mandate-test',
      log,
      createTopics: true,
      partitions: 1,
      replicationFactor: 1,
      minInSyncReplicas: 1,
    });
    onTestFinished(() => bus.close());
    await bus.ranges(OWN);
    return bus;
  }

  function decider(bus: Bus): Promise<Decider> {
    return startDecider({
      bus,
      ledger: createMemoryLedger({ clock: systemClock, epoch: 'e1' }),
      topics: [TOPICS.actions, OWN],
      control: () => mandatesOfFile(mandates, 1),
      redact: (action) => action,
      clock: systemClock,
      deadlines: true,
      log,
      metrics: createMetrics({ service: 'decider' }),
    });
  }

  async function all(bus: Bus, topic: string): Promise<LogRecord[]> {
    const found: LogRecord[] = [];
    const reader = await bus.read({
      topics: [topic],
      from: 'earliest',
      onRecords: (records) => void found.push(...records),
    });
    await Promise.race([reader.caughtUp, reader.finished]);
    await reader.stop();
    return found;
  }

  /**
   * Returns each dead letter once. The log may contain it twice: a decider that lost its partition, as on new
   * brokers, answers the same batch again.
   */
  async function deadLetters(bus: Bus): Promise<DeadLetter['deadLetter'][]> {
    const records = await all(bus, TOPICS.deadLetters);
    const letters = records.map(({ value }): DeadLetter => JSON.parse(Buffer.from(value).toString()));
    return [...new Map(letters.map(({ deadLetter }) => [deadLetter.id, deadLetter])).values()];
  }

  async function decidedOn(bus: Bus): Promise<string[]> {
    const records = await all(bus, TOPICS.decisions);
    const ids = records
      .map(({ value }) => readDecisionsRecord(value))
      .flatMap((record) => (record.event === 'action.decided' ? [record.decision.action.id] : []));
    return [...new Set(ids)].sort();
  }
});
