import type { ConnectionOptions } from 'node:tls';

/** All settings of a service about Kafka: how to reach the brokers. */
export type KafkaConfig = {
  /** `host:port` of some brokers. The client gets the addresses of all other brokers from these. */
  brokers: readonly string[];
  /** The name of this process in the brokers' logs, quotas and metrics. */
  clientId: string;
  /** `true` for TLS with the public authorities, or an object with a private CA or a client certificate. */
  tls?: boolean | Pick<ConnectionOptions, 'ca' | 'cert' | 'key' | 'passphrase' | 'servername'>;
  sasl?: SaslConfig;
  /** The time limit for a connection, in milliseconds. Default 3,000. */
  connectionTimeoutMs?: number;
  /** The time limit for a response to a request, in milliseconds. Default 10,000. */
  requestTimeoutMs?: number;
  /** Milliseconds until the number of partitions of a topic is looked up again. Default 30,000. */
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
