/** Measures how many API keys expire soon, so that an alarm comes before their holders notice. */

import { type Logger, poll } from '@mandate/runtime';
import { type ApiKeyRecord, DEFAULTS } from '@mandate/schemas';
import { isExpired, type Metrics } from '@mandate/server';

type Options = {
  metrics: Metrics;
  log: Logger;
  clock(): number;
  /** Returns the keys in the file and on the log. */
  keys(): Promise<Iterable<ApiKeyRecord>>;
  /** How often to count the keys, in milliseconds. Default one minute. */
  everyMs?: number;
};

export function measureExpiringKeys({ metrics, log, clock, keys, everyMs = 60_000 }: Options): {
  stop(): void;
} {
  const expiring = metrics.gauge({
    name: 'mandate_control_expiring_keys',
    help: 'API keys that are valid now and expire within two weeks',
  });
  const look = async () => expiring.set(expiringIn(await keys(), clock()));
  return poll(everyMs, look, (err) => log.warn({ err }, 'keys that expire cannot be counted'));
}

export function expiringIn(keys: Iterable<ApiKeyRecord>, nowMs: number): number {
  let count = 0;
  for (const key of keys) {
    const isLive = key.revokedAt === null && !isExpired(key, nowMs);
    if (isLive && isExpired(key, nowMs + DEFAULTS.keyExpiryWarningMs)) count += 1;
  }
  return count;
}
