import { z } from 'zod';

/** How the brokers are reached. Without KAFKA_BROKERS the log is the SQLite file of the data folder. */
export const kafkaSettings = z.object({
  KAFKA_BROKERS: z
    .array(z.string().regex(/^\S+:\d+$/, 'is not host:port'))
    .min(1)
    .optional()
    .describe('host:port of some brokers; the log is the SQLite file of the data folder when absent'),
  KAFKA_CLIENT_ID: z
    .string()
    .min(1)
    .default('mandate')
    .describe('what this process is called in logs, quotas and metrics of the brokers'),
  KAFKA_TLS: z.boolean().default(false).describe('whether the brokers are spoken to over TLS'),
  KAFKA_TLS_CA_PATH: z
    .string()
    .min(1)
    .optional()
    .describe('the certificates (PEM) that vouch for the brokers; the public authorities when absent'),
  KAFKA_TLS_CERT_PATH: z
    .string()
    .min(1)
    .optional()
    .describe('the certificate (PEM) that says who this process is, where the brokers ask for one'),
  KAFKA_TLS_KEY_PATH: z.string().min(1).optional().describe('and its key (PEM, without a passphrase)'),
  KAFKA_SASL_MECHANISM: z
    .enum(['plain', 'scram-sha-256', 'scram-sha-512'])
    .optional()
    .describe('how this process says who it is'),
  KAFKA_SASL_USERNAME: z.string().min(1).optional().describe('as whom'),
  KAFKA_SASL_PASSWORD: z
    .string()
    .min(1)
    .optional()
    .meta({ secret: true })
    .describe('and with which password'),
  KAFKA_CREATE_TOPICS: z
    .boolean()
    .default(false)
    .describe('whether topics that are missing are made; else someone with the right to it makes them'),
  KAFKA_REPLICATION_FACTOR: z
    .int()
    .min(1)
    .default(3)
    .describe('on how many brokers a topic is kept that is made'),
  KAFKA_MIN_IN_SYNC_REPLICAS: z
    .int()
    .min(1)
    .default(2)
    .describe('how many of them must have a record before it is acknowledged'),
});
export type KafkaSettings = Readonly<z.output<typeof kafkaSettings>>;
