import { z } from 'zod';
import { isSentinelUrl, readSentinelUrl } from './sentinel-url.ts';

/** How the shared ledger is reached. With neither REDIS_URL nor REDIS_CLUSTER_NODES it is in the decider's memory. */
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
      "redis:// or rediss:// of the ledger's server, or redis+sentinel://[user:password@]host:port,…/name[/database] of sentinels that know it (rediss+sentinel:// over TLS); the ledger is in the decider's memory when absent",
    ),
  REDIS_CLUSTER_NODES: z
    .array(z.string().regex(/^\S+:\d+$/, 'is not host:port'))
    .min(1)
    .optional()
    .describe('host:port of some nodes of a cluster, in the place of the URL'),
  REDIS_USERNAME: z.string().min(1).optional().describe('as whom, where the URL does not say it'),
  REDIS_PASSWORD: z.string().min(1).optional().meta({ secret: true }).describe('and with which password'),
  REDIS_SENTINEL_USERNAME: z.string().min(1).optional().describe('as whom the sentinels are asked'),
  REDIS_SENTINEL_PASSWORD: z
    .string()
    .min(1)
    .optional()
    .meta({ secret: true })
    .describe('and with which password; that of Redis is never sent to them'),
  REDIS_TLS: z.boolean().default(false).describe('whether the nodes of a cluster are spoken to over TLS'),
  REDIS_TLS_CA_PATH: z
    .string()
    .min(1)
    .optional()
    .describe('the certificates (PEM) that vouch for the server; the public authorities when absent'),
  REDIS_TLS_CERT_PATH: z
    .string()
    .min(1)
    .optional()
    .describe('the certificate (PEM) that says who this process is, where the server asks for one'),
  REDIS_TLS_KEY_PATH: z.string().min(1).optional().describe('and its key (PEM, without a passphrase)'),
  REDIS_NAMESPACE: z
    .string()
    .regex(/^[^\s{}]+$/, 'holds a blank or a brace')
    .default('mandate')
    .describe('what all keys begin with; one for each log'),
  REDIS_WAIT_REPLICAS: z
    .int()
    .min(0)
    .default(0)
    .describe(
      'how many replicas must have a charge before its ALLOW is published; 0 promises nothing for a failover',
    ),
  REDIS_WAIT_TIMEOUT_MS: z.int().min(1).max(60_000).default(1_000).describe('how long they may take'),
  REDIS_COMMAND_TIMEOUT_MS: z
    .int()
    .min(1)
    .max(60_000)
    .default(2_000)
    .describe('how long an answer is waited for'),
  REDIS_REQUIRE_APPEND_ONLY: z
    .boolean()
    .default(true)
    .describe('whether a server without its append-only file is refused; else it is warned of'),
});
export type RedisSettings = Readonly<z.output<typeof redisSettings>>;
