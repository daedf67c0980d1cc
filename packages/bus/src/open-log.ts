/** Opens the log that the settings choose: Kafka if the settings name brokers, otherwise the SQLite file. */

import { readTlsFiles, sharedByRequests } from '@mandate/runtime';
import type { KafkaSettings } from '@mandate/runtime/settings';
import type { KafkaConfig } from './kafka/kafka-config.ts';
import type { Bus } from './port.ts';
import { createSqliteBus, type SqliteBusOptions } from './sqlite/create-sqlite-bus.ts';

/** @param local the options for the file, if there are no brokers */
export async function openLog(settings: KafkaSettings, local: SqliteBusOptions): Promise<Bus> {
  return sharedByRequests(await createBus(settings, local));
}

async function createBus(settings: KafkaSettings, local: SqliteBusOptions): Promise<Bus> {
  const { KAFKA_BROKERS: brokers } = settings;
  if (brokers === undefined) return createSqliteBus(local);
  const { createKafkaBus } = await import('./kafka/create-kafka-bus.ts');
  return createKafkaBus({
    brokers,
    clientId: settings.KAFKA_CLIENT_ID,
    createTopics: settings.KAFKA_CREATE_TOPICS,
    replicationFactor: settings.KAFKA_REPLICATION_FACTOR,
    minInSyncReplicas: settings.KAFKA_MIN_IN_SYNC_REPLICAS,
    log: local.log,
    ...tlsOf(settings),
    ...saslOf(settings),
  });
}

function tlsOf(settings: KafkaSettings): Pick<KafkaConfig, 'tls'> {
  return settings.KAFKA_TLS ? { tls: readTlsFiles('KAFKA', settings) } : {};
}

function saslOf(settings: KafkaSettings): Pick<KafkaConfig, 'sasl'> {
  const {
    KAFKA_SASL_MECHANISM: mechanism,
    KAFKA_SASL_USERNAME: username,
    KAFKA_SASL_PASSWORD: password,
  } = settings;
  if (mechanism === undefined || username === undefined || password === undefined) return {};
  return { sasl: { mechanism, username, password } };
}
