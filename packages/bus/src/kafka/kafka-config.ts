import type { ConnectionOptions } from 'node:tls';

/** How to reach the brokers: what a service's configuration holds about Kafka, and nothing else. */
export type KafkaConfig = {
  /** `host:port` of some brokers; the others are learnt from these. */
  brokers: readonly string[];
  /** How this process calls itself: in the brokers' logs, quotas and metrics. */
  clientId: string;
  /** `true` for TLS with the public authorities; an object for a CA or a client certificate of one's own. */
  tls?: boolean | Pick<ConnectionOptions, 'ca' | 'cert' | 'key' | 'passphrase' | 'servername'>;
  sasl?: SaslConfig;
  /** How long a connection may take to come about. Default 3,000. */
  connectionTimeoutMs?: number;
  /** How long one request may stay unanswered. Default 10,000. */
  requestTimeoutMs?: number;
  /** How long is believed how many partitions a topic has, when nothing contradicts. Default 30,000. */
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
