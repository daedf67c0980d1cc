import { backendsMustFit, kafkaSettings, LOG_LEVELS, otlpSettings } from '@mandate/runtime';
import { corsOrigins, maxSockets, requestsPerKeyPerSecond } from '@mandate/server';
import { z } from 'zod';

/** The alerter's own settings; their names in the environment begin with MANDATE_. */
export const alerterSettings = z.object({
  ALERTER_DATA_PATH: z
    .string()
    .min(1)
    .default('.mandate')
    .describe('the folder of keys.json, of alerts.yaml and, where it is not on Kafka, of the log'),
  ALERTER_RULES_PATH: z
    .string()
    .min(1)
    .optional()
    .describe(
      'the rule file; alerts.yaml in the data folder when absent, and the defaults where there is none',
    ),
  ALERTER_HOST: z.string().default('127.0.0.1').describe('the address to listen at'),
  ALERTER_PORT: z
    .int()
    .min(0)
    .max(65_535)
    .default(7424)
    .describe('the port to listen at; 0 takes any free one'),
  ALERTER_CORS_ORIGINS: corsOrigins,
  ALERTER_REQUESTS_PER_KEY_PER_SECOND: requestsPerKeyPerSecond,
  ALERTER_MAX_SOCKETS: maxSockets,
  ALERTER_LOG_LEVEL: z.enum(LOG_LEVELS).default('info'),
  ALERTER_SESSION_TIMEOUT_MS: z
    .int()
    .min(100)
    .max(600_000)
    .default(10_000)
    .describe('after how long a silent alerter is replaced by another'),
  ALERTER_MAX_WAITING: z
    .int()
    .min(1)
    .max(100_000)
    .default(1_000)
    .describe(
      'how many alerts may wait for one webhook; where more would, the newest of the tenant with the most is undelivered at once',
    ),
  ALERTER_RECORD_READS: z
    .boolean()
    .default(true)
    .describe('whether it is on the log who sees alerts, before they are shown'),
});

export const alerterConfig = z
  .object({ ...alerterSettings.shape, ...kafkaSettings.shape, ...otlpSettings.shape })
  .superRefine(backendsMustFit);
