/** Tests what the SDK does on the log of a plane, with a real Kafka, a real Redis and a real plane. */
import { randomUUID } from 'node:crypto';
import {
  describeWithOwnServers,
  IS_SHORT,
  type KafkaCluster,
  type RedisServer,
  startKafka,
  startRedis,
  temporaryFolder,
} from '@mandate/testing';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { memory } from '../contract/memory.ts';
import { codeOf, untilAborted } from '../contract/scene.ts';
import { turns } from '../contract/turns.ts';
import { findMandateError } from '../errors.ts';
import { Mandate, type MandateDocument, type MandateOptions } from '../index.ts';
import { startTestPlane, type TestPlane } from '../plane/plane.fixture.ts';
import { type KafkaPlaneOptions, kafkaOutput, kafkaPlane } from './index.ts';

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

/** Returns the records of an agent in the audit of the plane. */
async function listed(agentId: string): Promise<Listed[]> {
  return (await plane.call<{ records: Listed[] }>('GET', `/v1/audit/sdk?agent=${agentId}`)).records;
}

function distributed(
  agentId: string,
  audit: NonNullable<MandateOptions['audit']>,
  onError = (_: unknown) => {},
) {
  const mandate = new Mandate({
    mode: 'distributed',
    redis: redis.url,
    redisPrefix: `test-${randomUUID()}`,
    agentId,
    audit,
    onError,
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

  describe('plane mode through the topics', () => {
    const PAY = {
      maxCostTotal: 10,
      deniedTools: ['delete'],
      toolPolicies: { pay: { cost: 5, maxActualCost: 9 } },
    };

    async function agentUnder(document: MandateDocument, options: Partial<KafkaPlaneOptions> = {}) {
      const { agentId } = await plane.agentUnder(document);
      const errors: unknown[] = [];
      const onError = (error: unknown) => void errors.push(error);
      const through = kafkaPlane({ brokers: kafka.brokers, timeoutMs: 40_000, ...options });
      const mandate = new Mandate({ mode: 'plane', kafka: through, agentId, onError });
      onTestFinished(() => mandate.close({ timeoutMs: 1 }));
      return { agentId, mandate, errors, tools: mandate.createExecutor() };
    }

    const spent = async (agentId: string) =>
      (await plane.call<{ totalMicros: number }>('GET', `/v1/agents/${agentId}/usage`)).totalMicros;

    test('a call is decided, and its outcome settles the charge before the next call', async () => {
      const { agentId, mandate, tools, errors } = await agentUnder(PAY);
      expect(await codeOf(tools.run('pay', {}, () => 'paid', { actualCostMicros: 7_000_000 }))).toBe('ran');
      expect(await codeOf(tools.run('delete', {}, () => 'gone'))).toBe('TOOL_DENIED');
      expect(await codeOf(tools.run('pay', {}, () => 'paid'))).toBe('COST_LIMIT_EXCEEDED');
      await mandate.flush({ timeoutMs: 20_000 });
      expect(mandate.getAuditCounts()).toEqual({ written: 1, waiting: 0, spilled: 0, lost: 0 });
      await vi.waitUntil(async () => (await spent(agentId)) === 7_000_000, WAITING);
      expect(errors).toEqual([]);
    });

    test('20 calls at once under a limit of two run two, and a key that is used twice runs once', async () => {
      const { tools } = await agentUnder(PAY);
      const keyed = { idempotencyKey: 'order-7' };
      expect(await codeOf(tools.run('pay', {}, () => 'paid', keyed))).toBe('ran');
      expect(await codeOf(tools.run('pay', {}, () => 'paid', keyed))).toBe('DUPLICATE_ACTION');
      const calls = Array.from({ length: 20 }, (_, at) => codeOf(tools.run('pay', { at }, () => 'paid')));
      const codes = await Promise.all(calls);
      expect(codes.filter((code) => code === 'ran')).toHaveLength(1);
      expect(codes.filter((code) => code === 'COST_LIMIT_EXCEEDED')).toHaveLength(19);
    });

    test('a kill by an operator aborts the running call, and blocks the next', async () => {
      const { agentId, tools } = await agentUnder({});
      const started = Promise.withResolvers<void>();
      const running = tools.run('wait', {}, (_args, signal) => {
        started.resolve();
        return untilAborted({}, signal);
      });
      const code = codeOf(running);
      await started.promise;
      await plane.call('POST', `/v1/agents/${agentId}/kill`, { reason: 'runaway' });
      expect(await code).toBe('AGENT_KILLED');
      expect(await codeOf(tools.run('pay', {}, () => 'paid'))).toBe('AGENT_KILLED');
    });

    test('blocks if the brokers are away, or if the topic of the tenant is missing', async () => {
      let runs = 0;
      const blocked = async (options: Partial<KafkaPlaneOptions>) => {
        const { tools } = await agentUnder({}, options);
        const error = await tools.run('pay', {}, () => (runs += 1)).catch((thrown: unknown) => thrown);
        return findMandateError(error);
      };
      expect(await blocked({ brokers: ['127.0.0.1:1'], timeoutMs: 500 })).toMatchObject({
        code: 'INTERNAL_ERROR',
      });
      expect(await blocked({ ownTopic: true })).toMatchObject({
        code: 'INTERNAL_ERROR',
        cause: { code: 'BUS_TOPIC_UNFIT' },
      });
      expect(runs).toBe(0);
    });

    test('says which calls need the gateway', async () => {
      const asking = { toolPolicies: { pay: { requiresConfirmation: true } } };
      const { agentId, mandate, tools } = await agentUnder(asking);
      expect(await codeOf(tools.run('pay', {}, () => 'paid'))).toBe('APPROVAL_REQUIRED');
      const misused = { code: 'SDK_MISUSED', message: expect.stringContaining('through Kafka') };
      await expect(mandate.getCost()).rejects.toMatchObject(misused);
      await expect(mandate.kill(agentId, 'stop')).rejects.toMatchObject(misused);
      await expect(mandate.isKilled()).rejects.toMatchObject(misused);
      const waiting = tools.run('pay', {}, () => 'paid', { onDefer: 'wait' });
      await expect(waiting).rejects.toMatchObject({ code: 'INTERNAL_ERROR', cause: misused });
    });

    turns(agentUnder);
    describe.skipIf(IS_SHORT)('memory', () => memory(agentUnder));

    // This test ends the plane, so it must be the last.
    test('blocks within the time-out if the plane is away', async () => {
      const { tools, mandate } = await agentUnder({}, { timeoutMs: 5_000 });
      await plane.process.kill('SIGKILL');
      let runs = 0;
      const error = await tools.run('pay', {}, () => (runs += 1)).catch((thrown: unknown) => thrown);
      expect(findMandateError(error)).toMatchObject({
        code: 'INTERNAL_ERROR',
        cause: { code: 'KAFKA_UNAVAILABLE' },
      });
      expect(runs).toBe(0);
      await mandate.close({ timeoutMs: 1 });
    });
  });
});
