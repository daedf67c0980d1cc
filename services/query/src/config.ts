import { DEFAULT_DATA_PATH, LOG_LEVELS } from '@mandate/runtime';
import {
  backendsMustFit,
  clickhouseSettings,
  kafkaSettings,
  otlpSettings,
  port,
} from '@mandate/runtime/settings';
import { corsOrigins, maxSockets, requestsPerKeyPerSecond } from '@mandate/server';
import { z } from 'zod';

/** The query service's own settings. Their environment variables begin with MANDATE_. */
export const querySettings = z.object({
  QUERY_DATA_PATH: z
    .string()
    .min(1)
    .default(DEFAULT_DATA_PATH)
    .describe('the folder of keys.json, and of log and audit tables if they are not on servers'),
  QUERY_HOST: z.string().default('127.0.0.1').describe('the address to listen at'),
  QUERY_PORT: port(7422),
  QUERY_CORS_ORIGINS: corsOrigins,
  QUERY_REQUESTS_PER_KEY_PER_SECOND: requestsPerKeyPerSecond,
  QUERY_MAX_SOCKETS: maxSockets,
  QUERY_LOG_LEVEL: z.enum(LOG_LEVELS).default('info').describe('the level of log lines on stderr'),
  QUERY_ANSWER_TIMEOUT_MS: z
    .int()
    .min(1)
    .max(60_000)
    .default(10_000)
    .describe('how long a question may take before the answer is 503'),
  QUERY_RECORD_READS: z
    .boolean()
    .default(true)
    .describe('whether every read is recorded on the log before it is answered'),
});

export const queryConfig = z
  .object({
    ...querySettings.shape,
    ...kafkaSettings.shape,
    ...clickhouseSettings.shape,
    ...otlpSettings.shape,
  })
  .superRefine(backendsMustFit);
