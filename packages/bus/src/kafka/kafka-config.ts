import type { ConnectionOptions } from 'node:tls';

/** How to reach the brokers: all of a service's settings about Kafka, and nothing else. */
export type KafkaConfig = {
  /** `host:port` of some brokers. These brokers name the others. */
  brokers: readonly string[];
  /** The name of this process in the brokers' logs, quotas and metrics. */
  clientId: string;
  /** `true` for TLS with the public authorities, or an object with an own CA or client certificate. */
  tls?: boolean | Pick<ConnectionOptions, 'ca' | 'cert' | 'key' | 'passphrase' | 'servername'>;
  sasl?: SaslConfig;
  /** How long connecting may take. Default 3,000. */
  connectionTimeoutMs?: number;
  /** How long a response to a request may take. Default 10,000. */
  requestTimeoutMs?: number;
  /** How long the known number of partitions of a topic is used without a new look-up. Default 30,000. */
  metadataAgeMs?: number;
};

export type SaslConfig = {
  mechanism: 'plain' | 'scram-sha-256' | 'scram-sha-512';
  username: string;
  password: string;
};

export const DEFAULT_CONNECTION_TIMEOUT_MS = 3_000;
export const DEFAULT_REQUEST_TIMEOUT_MS = 10_000;
export const DEFAULT_METADATA_AGE_MS = 30_000;
