import { createLogger } from '@mandate/server';
import { describeWithOwnServers, type KafkaCluster, startKafka } from '@mandate/testing';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { LogUnderTest } from './testing/log-under-test.ts';

describeWithOwnServers(['kafka'], 'credentials', () => {
  const PASSWORD = 'correct-horse-battery';
  const JAAS = `org.apache.kafka.common.security.plain.PlainLoginModule required user_mandate="${PASSWORD}";`;

  let cluster: KafkaCluster;
  let log: LogUnderTest;

  beforeAll(async () => {
    cluster = await startKafka({
      config: {
        'listener.security.protocol.map': 'PLAINTEXT:SASL_PLAINTEXT,CONTROLLER:PLAINTEXT',
        'listener.name.plaintext.plain.sasl.jaas.config': JAAS,
        'listener.name.plaintext.sasl.enabled.mechanisms': 'PLAIN',
        'sasl.enabled.mechanisms': 'PLAIN',
        'sasl.mechanism.inter.broker.protocol': 'PLAIN',
      },
    });
  });
  afterAll(() => cluster?.stop());
  beforeEach(() => {
    log = new LogUnderTest(cluster.brokers);
  });
  afterEach(() => log.close());

  const as = (password: string) => ({
    sasl: { mechanism: 'plain' as const, username: 'mandate', password },
  });

  test('appends, reads and consumes with the password', async () => {
    const bus = await log.open(as(PASSWORD));
    await bus.append('secured', [{ key: 'k', value: 'x' }]);
    let seen = 0;
    const reader = await bus.read({ topics: ['secured'], from: 'earliest', onRecords: () => void seen++ });
    await reader.caughtUp;
    await reader.stop();
    expect(seen).toBe(1);
  });

  test('reports a wrong password at once, does not retry, and writes the password to no log line', async () => {
    const lines: string[] = [];
    const logger = createLogger({
      name: 'test',
      level: 'trace',
      destination: { write: (line) => void lines.push(line) },
    });
    const bus = await log.open({ ...as('wrong-secret'), log: logger });
    const refused = { code: 'BUS_UNAVAILABLE', retryable: false };
    await expect(bus.ping()).rejects.toMatchObject(refused);
    await expect(bus.append('secured', [{ key: 'k', value: 'x' }])).rejects.toMatchObject(refused);
    expect(lines.join('')).toContain('kafkajs');
    expect(lines.join('')).not.toContain('wrong-secret');
    expect(lines.join('')).not.toContain(Buffer.from('\0mandate\0wrong-secret').toString('base64'));
  });
});
