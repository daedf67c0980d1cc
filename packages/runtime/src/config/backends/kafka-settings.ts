import { z } from 'zod';

/** The settings for the Kafka brokers. Without KAFKA_BROKERS the log is the SQLite file in the data folder. */
export const kafkaSettings = z.object({
  KAFKA_BROKERS: z
    .array(z.string().regex(/^\S+:\d+$/, 'is not host:port'))
    .min(1)
    .optional()
    .describe('host:port of some brokers. When absent, the log is the SQLite file of the data folder'),
  KAFKA_CLIENT_ID: z
    .string()
    .min(1)
    .default('mandate')
    .describe('the name of this process in logs, quotas and metrics of the brokers'),
  KAFKA_TLS: z.boolean().default(false).describe('whether to connect to the brokers over TLS'),
  KAFKA_TLS_CA_PATH: z
    .string()
    .min(1)
    .optional()
    .describe('the certificate authorities for the brokers (PEM); the public ones when absent'),
  KAFKA_TLS_CERT_PATH: z
    .string()
    .min(1)
    .optional()
    .describe('the certificate of this process (PEM), if the brokers ask for one'),
  KAFKA_TLS_KEY_PATH: z
    .string()
    .min(1)
    .optional()
    .describe('the private key of that certificate (PEM, without a passphrase)'),
  KAFKA_SASL_MECHANISM: z
    .enum(['plain', 'scram-sha-256', 'scram-sha-512'])
    .optional()
    .describe('how this process authenticates itself'),
  KAFKA_SASL_USERNAME: z.string().min(1).optional().describe('the user name'),
  KAFKA_SASL_PASSWORD: z.string().min(1).optional().meta({ secret: true }).describe('the password'),
  KAFKA_CREATE_TOPICS: z
    .boolean()
    .default(false)
    .describe(
      'whether this process makes missing topics. With false, run `mandate migrate` as a user who may make topics',
    ),
  KAFKA_REPLICATION_FACTOR: z
    .int()
    .min(1)
    .default(3)
    .describe('the replication factor of topics that Mandate makes'),
  KAFKA_MIN_IN_SYNC_REPLICAS: z
    .int()
    .min(1)
    .default(2)
    .describe('how many replicas must have a record before it is acknowledged'),
});
export type KafkaSettings = Readonly<z.output<typeof kafkaSettings>>;
