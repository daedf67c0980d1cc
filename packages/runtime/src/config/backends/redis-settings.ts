import { z } from 'zod';
import { isSentinelUrl, readSentinelUrl } from './sentinel-url.ts';

/**
 * The settings for the shared ledger. Without REDIS_URL and REDIS_CLUSTER_NODES the ledger is in the decider's
 * memory.
 */
export const redisSettings = z.object({
  REDIS_URL: z
    .string()
    .regex(
      /^rediss?(\+sentinel)?:\/\//,
      'begins with neither redis:// nor rediss://, nor redis+sentinel:// nor rediss+sentinel://',
    )
    .refine((url) => !isSentinelUrl(url) || readSentinelUrl(url) !== null, {
      error:
        'is not redis+sentinel://[user:password@]host:port,host:port/name-of-the-primary[/database]; what is part of a name or password is percent-encoded',
    })
    .optional()
    .meta({ secret: true })
    .describe(
      "redis:// or rediss:// of the ledger's server, or redis+sentinel://[user:password@]host:port,…/name[/database] of its sentinels (rediss+sentinel:// over TLS). When absent, the ledger is in the decider's memory",
    ),
  REDIS_CLUSTER_NODES: z
    .array(z.string().regex(/^\S+:\d+$/, 'is not host:port'))
    .min(1)
    .optional()
    .describe('host:port of some nodes of a cluster, instead of the URL'),
  REDIS_USERNAME: z.string().min(1).optional().describe('the user name, if the URL has none'),
  REDIS_PASSWORD: z.string().min(1).optional().meta({ secret: true }).describe('the password'),
  REDIS_SENTINEL_USERNAME: z.string().min(1).optional().describe('the user name for the sentinels'),
  REDIS_SENTINEL_PASSWORD: z
    .string()
    .min(1)
    .optional()
    .meta({ secret: true })
    .describe('the password for the sentinels. The password of Redis is never sent to them'),
  REDIS_TLS: z.boolean().default(false).describe('whether to connect to the nodes of a cluster over TLS'),
  REDIS_TLS_CA_PATH: z
    .string()
    .min(1)
    .optional()
    .describe('the certificate authorities for the server (PEM); the public ones when absent'),
  REDIS_TLS_CERT_PATH: z
    .string()
    .min(1)
    .optional()
    .describe('the certificate of this process (PEM), if the server asks for one'),
  REDIS_TLS_KEY_PATH: z
    .string()
    .min(1)
    .optional()
    .describe('the private key of that certificate (PEM, without a passphrase)'),
  REDIS_NAMESPACE: z
    .string()
    .regex(/^[^\s{}]+$/, 'holds a blank or a brace')
    .default('mandate')
    .describe('the prefix of all keys in Redis. Each log needs another prefix'),
  REDIS_WAIT_REPLICAS: z
    .int()
    .min(0)
    .default(0)
    .describe(
      'how many replicas must have a charge before its ALLOW is published. With 0, Mandate promises nothing for a failover',
    ),
  REDIS_WAIT_TIMEOUT_MS: z.int().min(1).max(60_000).default(1_000).describe('how long the replicas may take'),
  REDIS_COMMAND_TIMEOUT_MS: z
    .int()
    .min(1)
    .max(60_000)
    .default(2_000)
    .describe('how long the process waits for an answer'),
  REDIS_REQUIRE_APPEND_ONLY: z
    .boolean()
    .default(true)
    .describe('true: a server without an append-only file is refused; false: a warning is logged'),
});
export type RedisSettings = Readonly<z.output<typeof redisSettings>>;
