import { alerterSettings } from '@mandate/alerter';
import { consoleSettings } from '@mandate/console-service';
import { controlSettings } from '@mandate/control-service';
import { deciderSettings } from '@mandate/decider';
import { gatewaySettings } from '@mandate/gateway';
import { modelGatewaySettings } from '@mandate/model-gateway';
import { querySettings } from '@mandate/query';
import { recorderSettings } from '@mandate/recorder';
import { runnerSettings } from '@mandate/runner';
import { DEFAULT_DATA_PATH, LOG_LEVELS } from '@mandate/runtime';
import {
  backendsMustFit,
  clickhouseSettings,
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

const DAY_MS = 24 * 3_600_000;

/** The settings of the plane as a whole. */
const whole = z.object({
  PLANE_DATA_PATH: z
    .string()
    .min(1)
    .default(DEFAULT_DATA_PATH)
    .describe('the folder of API keys and mandates, and of log and audit if they are not on servers'),
  PLANE_MANDATES_PATH: z
    .string()
    .min(1)
    .optional()
    .describe('the mandate file; mandates.yaml in the data folder when absent'),
  PLANE_POLICIES_PATH: z
    .string()
    .min(1)
    .optional()
    .describe(
      'a file or folder of agents, policies and rules. The start applies every difference. Documents that are not in the file or folder are kept',
    ),
  PLANE_POLICIES_ENVIRONMENT: z
    .string()
    .min(1)
    .optional()
    .describe('the environment of manifests: `production` applies the overlay policy.production.yaml'),
  PLANE_POLICIES_LENIENT: z
    .boolean()
    .default(false)
    .describe('whether references of manifests may lead nowhere. They grant nothing'),
  PLANE_PERFORM_RUNS: z
    .boolean()
    .default(true)
    .describe(
      'whether this process performs the runs of agent manifests. If not, runners on the same log do',
    ),
  PLANE_HOST: z.string().min(1).default('127.0.0.1').describe('the address to listen at'),
  PLANE_PORT: port(7420),
  PLANE_CORS_ORIGINS: corsOrigins,
  PLANE_REQUESTS_PER_KEY_PER_SECOND: requestsPerKeyPerSecond,
  PLANE_MAX_SOCKETS: maxSockets,
  PLANE_LOG_LEVEL: z.enum(LOG_LEVELS).default('warn').describe('the level of log lines on stderr'),
  PLANE_SYNCHRONOUS: synchronous,
  PLANE_ACTIONS_RETENTION_MS: z
    .int()
    .min(DAY_MS)
    .default(7 * DAY_MS)
    .describe('how long the log of the folder keeps requests and outcomes. It keeps decisions always'),
  PLANE_REDACT_FIELDS: redactFields,
  PLANE_HASH_FIELDS: hashFields,
  PLANE_HASH_KEY: hashKey,
});

/**
 * The settings of a plane. Their environment variables begin with MANDATE_. Flags of `mandate up` override them. The
 * limits of services have the same names as when each service runs alone.
 */
export const planeConfig = z
  .object({
    ...whole.shape,
    ...privacySettings.shape,
    ...kafkaSettings.shape,
    ...redisSettings.shape,
    ...clickhouseSettings.shape,
    ...otlpSettings.shape,
    ...gatewaySettings.pick({
      GATEWAY_PERSON_KEYS_PATH: true,
      GATEWAY_MAX_WAITING: true,
      GATEWAY_MAX_UNDECIDED: true,
      GATEWAY_RECENT_ANSWERS: true,
      GATEWAY_RECENT_BYTES: true,
      GATEWAY_MAX_UNLOGGED: true,
    }).shape,
    ...deciderSettings.pick({
      DECIDER_TENANT_TOPICS: true,
      DECIDER_BATCH_RECORDS: true,
      DECIDER_SESSION_TIMEOUT_MS: true,
      DECIDER_REPLAY_MEMORY_MS: true,
      DECIDER_MOST_REMEMBERED: true,
    }).shape,
    ...recorderSettings.pick({
      RECORDER_BATCH_RECORDS: true,
      RECORDER_GATHER_MS: true,
      RECORDER_SESSION_TIMEOUT_MS: true,
    }).shape,
    ...runnerSettings.pick({
      RUNNER_CONFIG_PATH: true,
      RUNNER_SESSION_TIMEOUT_MS: true,
      RUNNER_MAX_STEPS: true,
    }).shape,
    ...modelGatewaySettings.pick({ MODELS_CONFIG_PATH: true, MODELS_MAX_CALLS: true }).shape,
    ...querySettings.pick({ QUERY_ANSWER_TIMEOUT_MS: true, QUERY_RECORD_READS: true }).shape,
    ...consoleSettings.pick({ CONSOLE_OIDC_PATH: true }).shape,
    ...controlSettings.pick({ CONTROL_SNAPSHOT_AFTER_RECORDS: true }).shape,
    ...alerterSettings.pick({
      ALERTER_RULES_PATH: true,
      ALERTER_SESSION_TIMEOUT_MS: true,
      ALERTER_MAX_WAITING: true,
    }).shape,
  })
  .superRefine(backendsMustFit);
export type PlaneConfig = Readonly<z.output<typeof planeConfig>>;
