import { DEFAULT_DATA_PATH, LOG_LEVELS } from '@mandate/runtime';
import { backendsMustFit, kafkaSettings, otlpSettings, port } from '@mandate/runtime/settings';
import { DEFAULTS, tenant } from '@mandate/schemas';
import { corsOrigins, maxSockets, requestsPerKeyPerSecond } from '@mandate/server';
import { z } from 'zod';

/** The runner's own settings. Their environment variables begin with MANDATE_. */
export const runnerSettings = z.object({
  RUNNER_CONFIG_PATH: z
    .string()
    .min(1)
    .optional()
    .describe(
      'the file that binds tools and models of manifests to servers; runner.yaml in the data folder when absent',
    ),
  RUNNER_SESSION_TIMEOUT_MS: z
    .int()
    .min(100)
    .max(600_000)
    .default(10_000)
    .describe('another runner takes over after this time without a sign of life'),
  RUNNER_MAX_STEPS: z
    .int()
    .min(1)
    .max(10_000)
    .default(64)
    .describe('how many steps of runs this process performs at one time; the others wait for their turn'),
  RUNNER_DATA_PATH: z
    .string()
    .min(1)
    .default(DEFAULT_DATA_PATH)
    .describe('the folder of keys.json and runner.yaml, and of the log if it is not on Kafka'),
  RUNNER_PLANE_URL: z
    .url()
    .default('http://127.0.0.1:7420')
    .describe('the gateway that decides the actions of runs'),
  RUNNER_API_KEY: z
    .string()
    .min(1)
    .meta({ secret: true })
    .describe(
      'the API key with which the runner asks for the actions of runs. `mandate keys issue --name runner --scopes publish report release --agents …` makes one: name the manifests of the runs and their agents, such as notes and notes.*',
    ),
  RUNNER_TENANT: tenant
    .default(DEFAULTS.tenant)
    .describe('the tenant of the key: only its runs are performed'),
  RUNNER_RECORD_READS: z
    .boolean()
    .default(true)
    .describe('whether every read of runs is recorded on the log before it is answered'),
  RUNNER_HOST: z.string().default('127.0.0.1').describe('the address to listen at'),
  RUNNER_PORT: port(7426),
  RUNNER_CORS_ORIGINS: corsOrigins,
  RUNNER_REQUESTS_PER_KEY_PER_SECOND: requestsPerKeyPerSecond,
  RUNNER_MAX_SOCKETS: maxSockets,
  RUNNER_LOG_LEVEL: z.enum(LOG_LEVELS).default('info').describe('the level of log lines on stderr'),
});

export const runnerConfig = z
  .object({ ...runnerSettings.shape, ...kafkaSettings.shape, ...otlpSettings.shape })
  .superRefine(backendsMustFit);
