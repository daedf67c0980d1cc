import { DEFAULT_DATA_PATH, LOG_LEVELS } from '@mandate/runtime';
import {
  backendsMustFit,
  hashFields,
  hashKey,
  kafkaSettings,
  otlpSettings,
  privacySettings,
  redactFields,
  redisSettings,
  synchronous,
} from '@mandate/runtime/settings';
import { CAPS, tenant } from '@mandate/schemas';
import { z } from 'zod';

/** The decider's own settings. Their environment variables begin with MANDATE_. */
export const deciderSettings = z.object({
  DECIDER_DATA_PATH: z
    .string()
    .min(1)
    .default(DEFAULT_DATA_PATH)
    .describe('the folder of the mandates, and of log and ledger if they are not on servers'),
  DECIDER_MANDATES_PATH: z
    .string()
    .min(1)
    .optional()
    .describe('the mandate file, read again when it changes; mandates.yaml in the data folder when absent'),
  DECIDER_TENANT_TOPICS: z
    .array(tenant)
    .default([])
    .describe(
      'tenants with their own topic, besides tenants that the API opened with `directTopic`. Set the same value for all deciders',
    ),
  DECIDER_HOST: z
    .string()
    .min(1)
    .default('127.0.0.1')
    .describe('the address of /healthz, /readyz and /metrics'),
  DECIDER_PORT: z
    .int()
    .min(0)
    .max(65_535)
    .default(7421)
    .describe('the port of /healthz, /readyz and /metrics; 0 takes any free one'),
  DECIDER_LOG_LEVEL: z.enum(LOG_LEVELS).default('info').describe('the level of log lines on stderr'),
  DECIDER_SYNCHRONOUS: synchronous,
  DECIDER_BATCH_RECORDS: z
    .int()
    .min(1)
    .max(10_000)
    .default(500)
    .describe('the maximum number of records of a partition that are decided at once'),
  DECIDER_SESSION_TIMEOUT_MS: z
    .int()
    .min(100)
    .max(600_000)
    .default(10_000)
    .describe('a decider loses its partitions after this time without a sign of life'),
  DECIDER_REPLAY_MEMORY_MS: z
    .int()
    .min(1_000)
    .max(CAPS.replayMemoryMs)
    .optional()
    .describe(
      'how long action ids, idempotency keys and deliveries are remembered; also the longest deadline. Commands of operators are remembered for at least a day. The time decides most of the memory of a ledger. Set the same value for all deciders. A log that began without this setting has 24 h. A log never takes a shorter value later',
    ),
  DECIDER_MOST_REMEMBERED: z
    .int()
    .min(1_000)
    .max(CAPS.rememberedIds)
    .optional()
    .describe(
      'how many deliveries a ledger in memory remembers for all tenants together. When absent: one for each 1,000 bytes of the largest heap',
    ),
  DECIDER_REDACT_FIELDS: redactFields,
  DECIDER_HASH_FIELDS: hashFields,
  DECIDER_HASH_KEY: hashKey,
});

export const deciderConfig = z
  .object({
    ...deciderSettings.shape,
    ...privacySettings.shape,
    ...kafkaSettings.shape,
    ...redisSettings.shape,
    ...otlpSettings.shape,
  })
  .superRefine(backendsMustFit);
