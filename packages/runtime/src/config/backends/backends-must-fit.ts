/**
 * Decides which settings of log, ledger and audit go together. Other combinations are rejected before anything is
 * opened.
 *
 * | log    | ledger | audit  |                                                                                     |
 * | ------ | ------ | ------ | ----------------------------------------------------------------------------------- |
 * | SQLite | memory | either | one machine and one decider                                                         |
 * | SQLite | Redis  | either | one machine, any number of deciders                                                 |
 * | Kafka  | Redis  | either | any number of machines; ClickHouse in-process then holds a whole audit of its own   |
 * | Kafka  | memory | any    | rejected: deciders that share a log would each spend a budget of their own           |
 */
import type { z } from 'zod';
import type { ClickhouseSettings } from './clickhouse-settings.ts';
import type { KafkaSettings } from './kafka-settings.ts';
import type { OtlpSettings } from './otlp-settings.ts';
import type { RedisSettings } from './redis-settings.ts';
import { isSentinelUrl } from './sentinel-url.ts';

type Settings = Partial<KafkaSettings & RedisSettings & ClickhouseSettings & OtlpSettings>;
type Name = keyof Settings;

/**
 * Settings that have no effect without one of the other settings in their row. Probably the other setting was
 * forgotten or misspelt.
 */
const SAYS_NOTHING_WITHOUT: readonly (readonly [setting: Name, ...others: readonly Name[]])[] = [
  ['KAFKA_TLS', 'KAFKA_BROKERS'],
  ['KAFKA_TLS_CA_PATH', 'KAFKA_TLS'],
  ['KAFKA_TLS_CERT_PATH', 'KAFKA_TLS'],
  ['KAFKA_TLS_CERT_PATH', 'KAFKA_TLS_KEY_PATH'],
  ['KAFKA_TLS_KEY_PATH', 'KAFKA_TLS_CERT_PATH'],
  ['KAFKA_SASL_MECHANISM', 'KAFKA_BROKERS'],
  ['KAFKA_SASL_MECHANISM', 'KAFKA_SASL_USERNAME'],
  ['KAFKA_SASL_USERNAME', 'KAFKA_SASL_PASSWORD'],
  ['KAFKA_SASL_PASSWORD', 'KAFKA_SASL_MECHANISM'],
  ['KAFKA_CREATE_TOPICS', 'KAFKA_BROKERS'],
  ['REDIS_USERNAME', 'REDIS_PASSWORD'],
  ['REDIS_PASSWORD', 'REDIS_URL', 'REDIS_CLUSTER_NODES'],
  ['REDIS_SENTINEL_USERNAME', 'REDIS_SENTINEL_PASSWORD'],
  ['REDIS_SENTINEL_PASSWORD', 'REDIS_URL'],
  ['REDIS_TLS', 'REDIS_CLUSTER_NODES'],
  ['REDIS_TLS_CA_PATH', 'REDIS_URL', 'REDIS_CLUSTER_NODES'],
  ['REDIS_TLS_CERT_PATH', 'REDIS_URL', 'REDIS_CLUSTER_NODES'],
  ['REDIS_TLS_CERT_PATH', 'REDIS_TLS_KEY_PATH'],
  ['REDIS_TLS_KEY_PATH', 'REDIS_TLS_CERT_PATH'],
  ['REDIS_WAIT_REPLICAS', 'REDIS_URL', 'REDIS_CLUSTER_NODES'],
  ['CLICKHOUSE_USER', 'CLICKHOUSE_URL'],
  ['CLICKHOUSE_PASSWORD', 'CLICKHOUSE_URL'],
  ['CLICKHOUSE_TLS_CA_PATH', 'CLICKHOUSE_URL'],
  ['CLICKHOUSE_TLS_CERT_PATH', 'CLICKHOUSE_URL'],
  ['CLICKHOUSE_TLS_CERT_PATH', 'CLICKHOUSE_TLS_KEY_PATH'],
  ['CLICKHOUSE_TLS_KEY_PATH', 'CLICKHOUSE_TLS_CERT_PATH'],
  ['OTLP_HEADERS', 'OTLP_URL'],
];

/** Checks a schema with any of the settings of log, ledger and audit. Pass it to `superRefine`. */
export function backendsMustFit(settings: Settings, context: z.RefinementCtx): void {
  const isGiven = (name: Name) => Boolean(settings[name]);
  const refuse = (name: Name, message: string) => context.addIssue({ code: 'custom', path: [name], message });

  for (const [setting, ...others] of SAYS_NOTHING_WITHOUT) {
    if (isGiven(setting) && !others.some(isGiven)) {
      refuse(others[0] as Name, `is not set, and without it MANDATE_${setting} has no effect`);
    }
  }
  const takesLedger = settings.REDIS_NAMESPACE !== undefined;
  if (takesLedger && isGiven('KAFKA_BROKERS') && !isGiven('REDIS_URL') && !isGiven('REDIS_CLUSTER_NODES')) {
    refuse(
      'REDIS_URL',
      'is not set, and with MANDATE_KAFKA_BROKERS it is needed: deciders that share a log without sharing a ledger would each spend a budget of their own',
    );
  }
  if (isGiven('REDIS_URL') && isGiven('REDIS_CLUSTER_NODES')) {
    refuse(
      'REDIS_CLUSTER_NODES',
      'is set together with MANDATE_REDIS_URL, but there is only one ledger: remove one of the two settings',
    );
  }
  if (
    isGiven('REDIS_SENTINEL_PASSWORD') &&
    isGiven('REDIS_URL') &&
    !isSentinelUrl(settings.REDIS_URL ?? '')
  ) {
    refuse('REDIS_SENTINEL_PASSWORD', 'is set, and MANDATE_REDIS_URL names no sentinels: leave it out');
  }
  const { KAFKA_REPLICATION_FACTOR: replicas = 1, KAFKA_MIN_IN_SYNC_REPLICAS: inSync = 1 } = settings;
  if (inSync > replicas) {
    refuse('KAFKA_MIN_IN_SYNC_REPLICAS', `is more than the ${replicas} of MANDATE_KAFKA_REPLICATION_FACTOR`);
  }
}
