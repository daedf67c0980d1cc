/** Tests what the SDK does on the log of a plane, with a real Kafka, a real Redis and a real plane. */
import { randomUUID } from 'node:crypto';
import {
  describeWithOwnServers,
  type KafkaCluster,
  type RedisServer,
  startKafka,
  startRedis,
  temporaryFolder,
} from '@mandate/testing';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { Mandate, type MandateOptions } from '../index.ts';
import { startTestPlane, type TestPlane } from '../plane/plane.fixture.ts';
import { kafkaOutput } from './index.ts';

let kafka: KafkaCluster;
let redis: RedisServer;
let plane: TestPlane;

const WAITING = { timeout: 50_000, interval: 50 };

type Listed = {
  id: string;
  keyId: string;
  agentId: string;
  event: string;
  code: string;
  deltaMicros: number;
};

/** What the plane's audit lists of an agent. */
async function listed(agentId: string): Promise<Listed[]> {
  return (await plane.call<{ records: Listed[] }>('GET', `/v1/audit/sdk?agent=${agentId}`)).records;
}

function distributed(
  agentId: string,
  audit: NonNullable<MandateOptions['audit']>,
  onError = (_: unknown) => {},
) {
  const mandate = new Mandate({
    ...{
      mode: 'distributed',
      redis: redis.url,
      redisPrefix: `test-${randomUUID()}`,
      agentId,
      audit,
      onError,
    },
    audit,
    mandate: { maxCostTotal: 10, toolPolicies: { pay: { cost: 5 } } },
  });
  onTestFinished(() => mandate.close({ timeoutMs: 1 }));
  return { mandate, tools: mandate.createExecutor() };
}

describeWithOwnServers(['kafka', 'redis'], 'on the log of a plane', () => {
  beforeAll(async () => {
    [kafka, redis] = await Promise.all([
      startKafka(),
      startRedis({ appendonly: true, config: { appendfsync: 'everysec' } }),
    ]);
    plane = await startTestPlane({
      MANDATE_KAFKA_BROKERS: kafka.brokers.join(','),
      MANDATE_KAFKA_CREATE_TOPICS: 'true',
      MANDATE_KAFKA_REPLICATION_FACTOR: '1',
      MANDATE_KAFKA_MIN_IN_SYNC_REPLICAS: '1',
      MANDATE_REDIS_URL: redis.url,
    });
  }, 60_000);
  afterAll(async () => {
    await plane?.stop();
    await Promise.all([kafka?.stop(), redis?.stop()]);
  });

  test('what distributed mode decided is in the audit of the plane, once, and names no API key', async () => {
    const { brokers } = kafka;
    // Two outputs write each record twice, as a repeat after a lost acknowledgement does.
    const { mandate, tools } = distributed('payer', [kafkaOutput({ brokers }), kafkaOutput({ brokers })]);
    await tools.run('pay', { to: 'ann' }, () => 'paid', { actualCostMicros: 7_000_000 });
    await expect(tools.run('delete', {}, () => 'gone')).resolves.toBe('gone');
    await mandate.flush({ timeoutMs: 20_000 });
    expect(mandate.getAuditCounts()).toEqual({ written: 8, waiting: 0, spilled: 0, lost: 0 });
    const records = await vi.waitUntil(async () => {
      const found = await listed('payer');
      return found.length >= 4 && found;
    }, WAITING);
    const facts = records.map(({ event, keyId, deltaMicros }) => ({ event, keyId, deltaMicros }));
    expect(facts).toHaveLength(4);
    expect(facts).toEqual(
      expect.arrayContaining([
        { event: 'sdk.decided', keyId: null, deltaMicros: 5_000_000 },
        { event: 'sdk.settled', keyId: null, deltaMicros: 2_000_000 },
      ]),
    );
    // The plane decided nothing, and charged nothing.
    expect(await plane.call('GET', '/v1/audit/decisions?agent=payer')).toMatchObject({ decisions: [] });
  });

  test('records wait in the spill file while Kafka is away, and reach the audit after a restart', async () => {
    const spillFolder = temporaryFolder();
    const errors: unknown[] = [];
    const before = distributed(
      'waiter',
      { outputs: [kafkaOutput({ brokers: ['127.0.0.1:1'], timeoutMs: 300 })], spillFolder },
      (error) => errors.push(error),
    );
    await before.tools.run('pay', {}, () => 'paid');
    await before.mandate.flush({ timeoutMs: 1_000 });
    await before.mandate.close({ timeoutMs: 1 });
    expect(before.mandate.getAuditCounts()).toMatchObject({ written: 0, spilled: 2, lost: 0 });
    expect(errors).toEqual(expect.arrayContaining([expect.objectContaining({ retryable: true })]));
    const after = distributed('waiter', { outputs: [kafkaOutput({ brokers: kafka.brokers })], spillFolder });
    await after.mandate.flush({ timeoutMs: 20_000 });
    expect(after.mandate.getAuditCounts()).toEqual({ written: 2, waiting: 0, spilled: 0, lost: 0 });
    await vi.waitUntil(async () => (await listed('waiter')).length === 2, WAITING);
  });

  test('refuses options with which no record can be written', () => {
    expect(() => kafkaOutput({ brokers: [] })).toThrow(/names no brokers/);
    expect(() => kafkaOutput({ brokers: ['a:1'], tenant: 'a/b' })).toThrow(/no name of a tenant/);
    expect(() => kafkaOutput({ brokers: ['a:1'], timeoutMs: 0 })).toThrow(/timeoutMs is 0/);
  });
});
