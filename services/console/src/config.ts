import { DEFAULT_DATA_PATH, LOG_LEVELS } from '@mandate/runtime';
import { backendsMustFit, kafkaSettings, otlpSettings, port } from '@mandate/runtime/settings';
import { corsOrigins, maxSockets, requestsPerKeyPerSecond } from '@mandate/server';
import { z } from 'zod';

/** The console's own settings. Their environment variables begin with MANDATE_. */
export const consoleSettings = z.object({
  CONSOLE_OIDC_PATH: z
    .string()
    .min(1)
    .optional()
    .describe(
      'the file that says how people sign in through an identity provider; oidc.yaml in the data folder when absent',
    ),
  CONSOLE_GATEWAY_URL: addressOf('the gateway', 7420),
  CONSOLE_QUERY_URL: addressOf('the query service', 7422),
  CONSOLE_ALERTER_URL: addressOf('the alerter', 7424),
  CONSOLE_CONTROL_URL: addressOf('the control service', 7425),
  CONSOLE_RUNNER_URL: addressOf('the runner', 7426),
  CONSOLE_DATA_PATH: z
    .string()
    .min(1)
    .default(DEFAULT_DATA_PATH)
    .describe('the folder of keys.json, plane.secret and oidc.yaml, and of the log if it is not on Kafka'),
  CONSOLE_HOST: z.string().min(1).default('127.0.0.1').describe('the address to listen at'),
  CONSOLE_PORT: port(7428),
  CONSOLE_CORS_ORIGINS: corsOrigins,
  CONSOLE_REQUESTS_PER_KEY_PER_SECOND: requestsPerKeyPerSecond,
  CONSOLE_MAX_SOCKETS: maxSockets,
  CONSOLE_LOG_LEVEL: z.enum(LOG_LEVELS).default('info').describe('the level of log lines on stderr'),
});

export const consoleConfig = z
  .object({ ...consoleSettings.shape, ...kafkaSettings.shape, ...otlpSettings.shape })
  .superRefine(backendsMustFit);

function addressOf(service: string, ownPort: number) {
  return z
    .url({ protocol: /^https?$/ })
    .refine((text) => new URL(text).origin === text.replace(/\/$/, ''), {
      error: 'is not an address: give only scheme, host and port',
    })
    .default(`http://127.0.0.1:${ownPort}`)
    .describe(`the address of ${service}`);
}
