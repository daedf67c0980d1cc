/** The options of a state in Redis, and the settings of the ledger that follow from them. */
import { type RedisSettings, redisSettings } from '@mandate/runtime/settings';
import type { OnError } from '../types.ts';

export type RedisStateOptions = {
  /** `redis://…`, `rediss://…`, or `redis+sentinel://…`. */
  url: string;
  /**
   * The beginning of all keys, before `.sdk`. Processes with the same prefix share their limits. Default: `mandate`.
   */
  prefix?: string;
  /** The longest wait for Redis, in milliseconds. After it the call is blocked. Default: 2,000. */
  timeoutMs?: number;
  /** False: accepts a Redis without an append-only file. Such a Redis loses the spent amounts when it restarts. */
  requireAppendOnly?: boolean;
  /** False: an empty Redis never counts as new. Only `recoverRedis` begins a ledger in it. Default: true. */
  beginsLedger?: boolean;
  /** Is called with errors that block no call, such as a tally that could not be counted. Default: `console.error`. */
  onError?: OnError;
};

export function settingsOf({
  url,
  prefix = 'mandate',
  timeoutMs = 2_000,
  requireAppendOnly = true,
}: Pick<RedisStateOptions, 'url' | 'prefix' | 'timeoutMs' | 'requireAppendOnly'>): RedisSettings {
  return redisSettings.parse({
    REDIS_URL: url,
    REDIS_NAMESPACE: `${prefix}.sdk`,
    REDIS_COMMAND_TIMEOUT_MS: timeoutMs,
    REDIS_REQUIRE_APPEND_ONLY: requireAppendOnly,
  });
}
