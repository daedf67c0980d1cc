import {
  backendsMustFit,
  kafkaSettings,
  LOG_LEVELS,
  otlpSettings,
  privacySettings,
  redisSettings,
} from '@mandate/runtime';
import { CAPS, tenant } from '@mandate/schemas';
import { z } from 'zod';

/** The decider's own settings; their names in the environment begin with MANDATE_. */
export const deciderSettings = z.object({
  DECIDER_DATA_PATH: z
    .string()
    .min(1)
    .default('.mandate')
    .describe('the folder of mandates and, where they are not on servers, of log and ledger'),
  DECIDER_MANDATES_PATH: z
    .string()
    .min(1)
    .optional()
    .describe('the mandates file, read again when it changes; mandates.yaml in the data folder when absent'),
  DECIDER_TENANT_TOPICS: z
    .array(tenant)
    .default([])
    .describe(
      'tenants that publish to topics of their own, beside those that are opened so through the API; the same for all deciders',
    ),
  DECIDER_HOST: z
    .string()
    .min(1)
    .default('127.0.0.1')
    .describe('the address of /healthz, /readyz and /metrics'),
  DECIDER_PORT: z.int().min(0).max(65_535).default(7421).describe('their port; 0 takes any free one'),
  DECIDER_LOG_LEVEL: z.enum(LOG_LEVELS).default('info').describe('of the lines on stderr'),
  DECIDER_SYNCHRONOUS: z
    .enum(['NORMAL', 'FULL'])
    .default('NORMAL')
    .describe('NORMAL survives kill -9; FULL survives the loss of power too, at one disk sync a commit'),
  DECIDER_BATCH_RECORDS: z
    .int()
    .min(1)
    .max(10_000)
    .default(500)
    .describe('how many records of a partition are decided at once, at most'),
  DECIDER_SESSION_TIMEOUT_MS: z
    .int()
    .min(100)
    .max(600_000)
    .default(10_000)
    .describe('after how long a silent decider loses its partitions'),
  DECIDER_REPLAY_MEMORY_MS: z
    .int()
    .min(1_000)
    .max(CAPS.replayMemoryMs)
    .optional()
    .describe(
      'for how long an action id, an idempotency key and a delivery are remembered, and the longest deadline; operators’ commands for a day at the least. Most of the memory of a ledger goes by it. The same for all deciders. 24 h when absent from the start of a log, which takes nothing shorter later',
    ),
  DECIDER_MOST_REMEMBERED: z
    .int()
    .min(1_000)
    .max(CAPS.rememberedIds)
    .optional()
    .describe(
      'how many deliveries a ledger in memory remembers for all tenants together; one for each 1,000 bytes that the heap may take when absent',
    ),
  DECIDER_REDACT_FIELDS: z
    .array(z.string().min(1))
    .optional()
    .describe('names of fields whose values are never published; a list of usual secrets when absent'),
  DECIDER_HASH_FIELDS: z
    .array(z.string().min(1))
    .default([])
    .describe('names of fields that are published as a keyed hash, so that equal values can still be told'),
  DECIDER_HASH_KEY: z.string().min(16).optional().meta({ secret: true }).describe('the key of that hash'),
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
