import { DEFAULT_DATA_PATH, LOG_LEVELS } from '@mandate/runtime';
import { backendsMustFit, kafkaSettings, otlpSettings, port } from '@mandate/runtime/settings';
import { DEFAULTS, tenant } from '@mandate/schemas';
import { corsOrigins, maxSockets, requestsPerKeyPerSecond } from '@mandate/server';
import { z } from 'zod';

/** The model gateway's own settings. Their environment variables begin with MANDATE_. */
export const modelGatewaySettings = z.object({
  MODELS_CONFIG_PATH: z
    .string()
    .min(1)
    .optional()
    .describe('the file of upstreams and models; models.yaml in the data folder when absent'),
  MODELS_MAX_CALLS: z
    .int()
    .min(1)
    .max(100_000)
    .default(2_000)
    .describe('how many calls of models may run at one time; more are answered 503'),
  MODELS_DATA_PATH: z
    .string()
    .min(1)
    .default(DEFAULT_DATA_PATH)
    .describe('the folder of keys.json and models.yaml, and of the log if it is not on Kafka'),
  MODELS_PLANE_URL: z.url().default('http://127.0.0.1:7420').describe('the gateway that decides the calls'),
  MODELS_REPORTER_KEY: z
    .string()
    .min(1)
    .optional()
    .meta({ secret: true })
    .describe(
      'the API key that reports what calls cost. `mandate keys issue --name models --scopes report release --agents "*"` makes one. When absent, the keys of the callers report',
    ),
  MODELS_TENANT: tenant
    .default(DEFAULTS.tenant)
    .describe('the tenant of the reporter key; the keys of other tenants report their calls themselves'),
  MODELS_HOST: z.string().default('127.0.0.1').describe('the address to listen at'),
  MODELS_PORT: port(7427),
  MODELS_CORS_ORIGINS: corsOrigins,
  MODELS_REQUESTS_PER_KEY_PER_SECOND: requestsPerKeyPerSecond,
  MODELS_MAX_SOCKETS: maxSockets,
  MODELS_LOG_LEVEL: z.enum(LOG_LEVELS).default('info').describe('the level of log lines on stderr'),
});

export const modelGatewayConfig = z
  .object({ ...modelGatewaySettings.shape, ...kafkaSettings.shape, ...otlpSettings.shape })
  .superRefine(backendsMustFit);
