import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { silentLogger } from '@mandate/runtime';
import { kafkaSettings, loadConfig } from '@mandate/runtime/settings';
import { temporaryFolder } from '@mandate/testing';
import { expect, onTestFinished, test } from 'vitest';
import { openLog } from './open-log.ts';

async function opened(env: Record<string, string>) {
  const path = join(temporaryFolder(), 'log.sqlite');
  const bus = await openLog(loadConfig(kafkaSettings, env), { path, log: silentLogger() });
  onTestFinished(() => bus.close());
  return { bus, path };
}

test('opens the file if no brokers are set', async () => {
  const { bus, path } = await opened({});
  await bus.ping();
  expect(existsSync(path)).toBe(true);
});

test('opens Kafka if brokers are set, and creates no file if the brokers are down', async () => {
  const { bus, path } = await opened({ MANDATE_KAFKA_BROKERS: '127.0.0.1:1' });
  await expect(bus.ping()).rejects.toMatchObject({ code: 'BUS_UNAVAILABLE' });
  expect(existsSync(path)).toBe(false);
});

test('fails at once on certificates that cannot be read', async () => {
  const env = {
    MANDATE_KAFKA_BROKERS: '127.0.0.1:1',
    MANDATE_KAFKA_TLS: 'true',
    MANDATE_KAFKA_TLS_CA_PATH: join(temporaryFolder(), 'ca.pem'),
  };
  await expect(opened(env)).rejects.toThrow('ENOENT');
});
