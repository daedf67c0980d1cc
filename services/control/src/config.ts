import { DEFAULT_DATA_PATH, LOG_LEVELS } from '@mandate/runtime';
import {
  backendsMustFit,
  kafkaSettings,
  otlpSettings,
  port,
  privacySettings,
} from '@mandate/runtime/settings';
import { corsOrigins, maxSockets, requestsPerKeyPerSecond } from '@mandate/server';
import { z } from 'zod';

/** The control service's own settings. Their environment variables begin with MANDATE_. */
export const controlSettings = z.object({
  CONTROL_DATA_PATH: z
    .string()
    .min(1)
    .default(DEFAULT_DATA_PATH)
    .describe('the folder of keys.json, and of the log if it is not on Kafka'),
  CONTROL_HOST: z.string().min(1).default('127.0.0.1').describe('the address to listen at'),
  CONTROL_PORT: port(7425),
  CONTROL_CORS_ORIGINS: corsOrigins,
  CONTROL_REQUESTS_PER_KEY_PER_SECOND: requestsPerKeyPerSecond,
  CONTROL_MAX_SOCKETS: maxSockets,
  CONTROL_SNAPSHOT_AFTER_RECORDS: z
    .int()
    .min(1)
    .default(50_000)
    .describe('after this many changes the service writes a snapshot of agents, policies and rules'),
  CONTROL_REDACT_FIELDS: z
    .array(z.string().min(1))
    .optional()
    .describe(
      'the value of MANDATE_GATEWAY_REDACT_FIELDS at the gateways, so that previews redact in the same way',
    ),
  CONTROL_HASH_FIELDS: z
    .array(z.string().min(1))
    .default([])
    .describe(
      'the value of MANDATE_GATEWAY_HASH_FIELDS at the gateways, so that previews hash in the same way',
    ),
  CONTROL_GATE_PATH: z
    .string()
    .min(1)
    .optional()
    .describe(
      'the gate: a file that says what no agent manifest may hold. Without it, every valid manifest may be published',
    ),
  CONTROL_LOG_LEVEL: z.enum(LOG_LEVELS).default('info').describe('the level of log lines on stderr'),
});

export const controlConfig = z
  .object({
    ...controlSettings.shape,
    ...privacySettings.shape,
    ...kafkaSettings.shape,
    ...otlpSettings.shape,
  })
  .superRefine(backendsMustFit);
