import { expect, test } from 'vitest';
import { z } from 'zod';
import { isMandateError } from '../../errors.ts';
import { loadConfig } from '../load-config.ts';
import { backendsMustFit } from './backends-must-fit.ts';
import { clickhouseSettings } from './clickhouse-settings.ts';
import { kafkaSettings } from './kafka-settings.ts';
import { otlpSettings } from './otlp-settings.ts';
import { redisSettings } from './redis-settings.ts';

const all = z
  .object({
    ...kafkaSettings.shape,
    ...redisSettings.shape,
    ...clickhouseSettings.shape,
    ...otlpSettings.shape,
  })
  .superRefine(backendsMustFit);
const withoutLedger = z
  .object({ ...kafkaSettings.shape, ...clickhouseSettings.shape })
  .superRefine(backendsMustFit);

const KAFKA = { MANDATE_KAFKA_BROKERS: 'a:9092, b:9092' };
const REDIS = { MANDATE_REDIS_URL: 'redis://:secret@r:6379' };
const CLICKHOUSE = { MANDATE_CLICKHOUSE_URL: 'https://c:8443' };

function faultOf(env: Record<string, string>, schema: z.ZodObject = all): string | null {
  try {
    loadConfig(schema, env);
    return null;
  } catch (error) {
    if (!isMandateError(error, 'CONFIG_INVALID')) throw error;
    return error.message;
  }
}

test.each([
  ['all embedded', {}],
  ['all on servers', { ...KAFKA, ...REDIS, ...CLICKHOUSE }],
  ['several deciders on one machine', REDIS],
  ['an audit in the process', { ...KAFKA, ...REDIS }],
  ['an audit of an embedded plane on a server', CLICKHOUSE],
  [
    'a Redis that Sentinel watches',
    {
      ...KAFKA,
      MANDATE_REDIS_URL: 'redis+sentinel://:secret@a:1,b:2/main',
      MANDATE_REDIS_SENTINEL_PASSWORD: 'hush',
    },
  ],
  ['a cluster', { ...KAFKA, MANDATE_REDIS_CLUSTER_NODES: 'a:1,b:2', MANDATE_REDIS_TLS: 'true' }],
])('accepts this combination: %s', (_, env) => {
  expect(faultOf(env)).toBe(null);
});

test('needs no settings of a ledger if there is no ledger', () => {
  expect(faultOf(KAFKA, withoutLedger)).toBe(null);
});

test.each([
  [
    'a ledger of its own on a log of many',
    KAFKA,
    /MANDATE_REDIS_URL: .*MANDATE_KAFKA_BROKERS.*budget of their own/,
  ],
  [
    'two places of the ledger',
    { ...REDIS, MANDATE_REDIS_CLUSTER_NODES: 'a:1' },
    /REDIS_CLUSTER_NODES: .*remove one of the two settings/,
  ],
  [
    'a password of sentinels that are not used',
    { ...REDIS, MANDATE_REDIS_SENTINEL_PASSWORD: 'hush' },
    /MANDATE_REDIS_SENTINEL_PASSWORD: .*names no sentinels(?!.*hush)/,
  ],
  [
    'sentinels that are not told of whom',
    { MANDATE_REDIS_URL: 'redis+sentinel://:hush@a:1' },
    /MANDATE_REDIS_URL: is not redis\+sentinel:.*name-of-the-primary(?!.*hush)/,
  ],
  [
    'a password without a server',
    { MANDATE_CLICKHOUSE_PASSWORD: 'hush' },
    /MANDATE_CLICKHOUSE_URL: is not set.*CLICKHOUSE_PASSWORD/,
  ],
  [
    'a name without a password',
    { ...KAFKA, ...REDIS, MANDATE_KAFKA_SASL_MECHANISM: 'plain', MANDATE_KAFKA_SASL_USERNAME: 'me' },
    /MANDATE_KAFKA_SASL_PASSWORD: is not set/,
  ],
  [
    'a certificate without its key',
    { ...REDIS, MANDATE_REDIS_TLS_CERT_PATH: 'own.pem' },
    /MANDATE_REDIS_TLS_KEY_PATH: is not set/,
  ],
  [
    'a certificate for brokers that are spoken to without TLS',
    {
      ...KAFKA,
      ...REDIS,
      MANDATE_KAFKA_TLS_CERT_PATH: 'own.pem',
      MANDATE_KAFKA_TLS_KEY_PATH: 'own.key',
    },
    /MANDATE_KAFKA_TLS: is not set/,
  ],
  [
    'more copies in step than copies',
    { ...KAFKA, ...REDIS, MANDATE_KAFKA_REPLICATION_FACTOR: '1' },
    /MIN_IN_SYNC_REPLICAS: is more than the 1/,
  ],
  [
    'a credential for traces that go nowhere',
    { MANDATE_OTLP_HEADERS: 'authorization=Basic hush' },
    /MANDATE_OTLP_URL: is not set.*MANDATE_OTLP_HEADERS/,
  ],
  ...['http://me:hush@o:4318', 'http://o:4318/?key=hush', 'http://o:4318/#hush'].map(
    (url): [string, Record<string, string>, RegExp] => [
      `an address of traces that holds more: ${url}`,
      { MANDATE_OTLP_URL: url },
      /MANDATE_OTLP_URL: must be without user, .*OTLP_HEADERS(?!.*hush)/,
    ],
  ),
  [
    'brokers without a port',
    { ...REDIS, MANDATE_KAFKA_BROKERS: 'a' },
    /MANDATE_KAFKA_BROKERS: is not host:port/,
  ],
])('rejects this combination with a remedy: %s', (_, env, fault) => {
  expect(faultOf(env)).toMatch(fault);
});

test('never shows a value that may contain a password', () => {
  expect(faultOf({ MANDATE_REDIS_URL: 'http://:secret@r' })).not.toMatch(/:secret@/);
  const config = loadConfig(all, { ...KAFKA, ...REDIS });
  expect(JSON.stringify(config)).not.toContain('secret@');
  const traces = { MANDATE_OTLP_URL: 'http://o:4318', MANDATE_OTLP_HEADERS: 'x-key=hush' };
  expect(JSON.stringify(loadConfig(all, traces))).not.toContain('hush');
  expect(faultOf({ ...traces, MANDATE_OTLP_HEADERS: 'hush' })).toMatch(/OTLP_HEADERS: is not name=value/);
  expect(faultOf({ ...traces, MANDATE_OTLP_HEADERS: 'hush' })).not.toContain('hush');
  expect(config.KAFKA_BROKERS).toEqual(['a:9092', 'b:9092']);
});
