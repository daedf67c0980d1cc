import { DEFAULT_DATA_PATH, LOG_LEVELS } from '@mandate/runtime';
import {
  backendsMustFit,
  clickhouseSettings,
  kafkaSettings,
  otlpSettings,
  privacySettings,
} from '@mandate/runtime/settings';
import { z } from 'zod';

/** The recorder's own settings. Their environment variables begin with MANDATE_. */
export const recorderSettings = z.object({
  RECORDER_DATA_PATH: z
    .string()
    .min(1)
    .default(DEFAULT_DATA_PATH)
    .describe('the folder of log and audit tables, if they are not on servers'),
  RECORDER_HOST: z.string().default('127.0.0.1').describe('the address of /healthz, /readyz and /metrics'),
  RECORDER_PORT: z
    .int()
    .min(0)
    .max(65_535)
    .default(7423)
    .describe('the port of /healthz, /readyz and /metrics; 0 takes any free one'),
  RECORDER_LOG_LEVEL: z.enum(LOG_LEVELS).default('info').describe('the level of log lines on stderr'),
  RECORDER_BATCH_RECORDS: z
    .int()
    .min(1)
    .max(10_000)
    .default(1_000)
    .describe('the maximum number of records of a partition that are recorded at once'),
  RECORDER_GATHER_MS: z
    .int()
    .min(0)
    .max(10_000)
    .default(200)
    .describe('how long the recorder gathers records before an insert, when few records come'),
  RECORDER_SESSION_TIMEOUT_MS: z
    .int()
    .min(100)
    .max(600_000)
    .default(10_000)
    .describe('a recorder loses its partitions after this time without a sign of life'),
  RECORDER_RETENTION_MS: z
    .int()
    .min(1)
    .optional()
    .describe(
      'how long the log keeps decisions and dead letters, if not always. An alarm rings at half of this time',
    ),
});

export const recorderConfig = z
  .object({
    ...recorderSettings.shape,
    ...privacySettings.shape,
    ...kafkaSettings.shape,
    ...clickhouseSettings.shape,
    ...otlpSettings.shape,
  })
  .superRefine(backendsMustFit);
