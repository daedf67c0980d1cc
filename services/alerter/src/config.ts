import { DEFAULT_DATA_PATH, LOG_LEVELS } from '@mandate/runtime';
import { backendsMustFit, kafkaSettings, otlpSettings, port } from '@mandate/runtime/settings';
import { corsOrigins, maxSockets, requestsPerKeyPerSecond } from '@mandate/server';
import { z } from 'zod';

/** The alerter's own settings. Their environment variables begin with MANDATE_. */
export const alerterSettings = z.object({
  ALERTER_DATA_PATH: z
    .string()
    .min(1)
    .default(DEFAULT_DATA_PATH)
    .describe('the folder of keys.json and alerts.yaml, and of the log if it is not on Kafka'),
  ALERTER_RULES_PATH: z
    .string()
    .min(1)
    .optional()
    .describe(
      'the rule file; alerts.yaml in the data folder when absent. Without a file, the default rules apply',
    ),
  ALERTER_HOST: z.string().default('127.0.0.1').describe('the address to listen at'),
  ALERTER_PORT: port(7424),
  ALERTER_CORS_ORIGINS: corsOrigins,
  ALERTER_REQUESTS_PER_KEY_PER_SECOND: requestsPerKeyPerSecond,
  ALERTER_MAX_SOCKETS: maxSockets,
  ALERTER_LOG_LEVEL: z.enum(LOG_LEVELS).default('info').describe('the level of log lines on stderr'),
  ALERTER_SESSION_TIMEOUT_MS: z
    .int()
    .min(100)
    .max(600_000)
    .default(10_000)
    .describe('another alerter takes over after this time without a sign of life'),
  ALERTER_MAX_WAITING: z
    .int()
    .min(1)
    .max(100_000)
    .default(1_000)
    .describe(
      'how many alerts may wait for one webhook. If more wait, the newest alert of the tenant with the most waiting alerts becomes undelivered at once',
    ),
  ALERTER_RECORD_READS: z
    .boolean()
    .default(true)
    .describe('whether every read of alerts is recorded on the log before it is answered'),
});

export const alerterConfig = z
  .object({ ...alerterSettings.shape, ...kafkaSettings.shape, ...otlpSettings.shape })
  .superRefine(backendsMustFit);
