import { DEFAULT_DATA_PATH, LOG_LEVELS } from '@mandate/runtime';
import {
  backendsMustFit,
  hashFields,
  hashKey,
  kafkaSettings,
  otlpSettings,
  port,
  privacySettings,
  redactFields,
  redisSettings,
  synchronous,
} from '@mandate/runtime/settings';
import { corsOrigins, maxSockets, requestsPerKeyPerSecond } from '@mandate/server';
import { z } from 'zod';

/** The gateway's own settings. Their environment variables begin with MANDATE_. */
export const gatewaySettings = z.object({
  GATEWAY_HOST: z.string().default('127.0.0.1').describe('the address to listen at'),
  GATEWAY_PORT: port(7420),
  GATEWAY_DATA_PATH: z
    .string()
    .min(1)
    .default(DEFAULT_DATA_PATH)
    .describe('the folder of keys.json and plane.secret, and of the log if it is not on Kafka'),
  GATEWAY_CORS_ORIGINS: corsOrigins,
  GATEWAY_REQUESTS_PER_KEY_PER_SECOND: requestsPerKeyPerSecond,
  GATEWAY_MAX_SOCKETS: maxSockets,
  GATEWAY_LOG_LEVEL: z.enum(LOG_LEVELS).default('info').describe('the level of log lines on stderr'),
  GATEWAY_SYNCHRONOUS: synchronous,
  GATEWAY_REDACT_FIELDS: redactFields,
  GATEWAY_HASH_FIELDS: hashFields,
  GATEWAY_HASH_KEY: hashKey,
  GATEWAY_PERSON_KEYS_PATH: z
    .string()
    .min(1)
    .optional()
    .describe(
      'the file with the keys of sealed data, only for gateways; person-keys in the data folder when absent',
    ),
  GATEWAY_MAX_WAITING: z
    .int()
    .min(1)
    .max(1_000_000)
    .default(20_000)
    .describe(
      'how many answers callers may wait for at one time; a tenant may take half of them, and a key a quarter',
    ),
  GATEWAY_MAX_UNDECIDED: z
    .int()
    .min(2)
    .max(1_000_000)
    .default(200)
    .describe(
      'how many undecided records a tenant may have; a key may have half as many. A further request waits for 5 s, or for its waitMs if that is longer',
    ),
  GATEWAY_RECENT_ANSWERS: z
    .int()
    .min(1)
    .max(1_000_000)
    .default(20_000)
    .describe('how many of the newest decisions and settlements are kept in memory'),
  GATEWAY_RECENT_BYTES: z
    .int()
    .min(1_024)
    .default(16 * 1024 * 1024)
    .describe('how many bytes of the newest decisions and settlements are kept in memory'),
  GATEWAY_MAX_UNLOGGED: z
    .int()
    .min(1)
    .max(100_000)
    .default(1_000)
    .describe('how many commands of operators may wait for a log that is away'),
});
export const gatewayConfig = z
  .object({
    ...gatewaySettings.shape,
    ...privacySettings.shape,
    ...kafkaSettings.shape,
    ...redisSettings.shape,
    ...otlpSettings.shape,
  })
  .superRefine(backendsMustFit);
