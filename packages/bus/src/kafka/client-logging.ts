import type { Logger } from '@mandate/runtime';
import { type LogEntry, logLevel } from 'kafkajs';

/**
 * The useful fields of a kafkajs log line. The request payload is left out, because it contains records and secrets.
 */
const LOGGED_FIELDS = ['broker', 'error', 'groupId', 'topic', 'partition', 'retryCount'] as const;

/**
 * kafkajs logs each failed attempt as an error. Only the bus knows whether the next attempt succeeded. So the bus
 * lowers each line by one or two levels.
 */
export function clientLogging(log: Logger) {
  const client = log.child({ client: 'kafkajs' });
  return () =>
    ({ namespace, level, log: { message, ...fields } }: LogEntry) => {
      const logged = Object.fromEntries(
        LOGGED_FIELDS.filter((name) => fields[name] !== undefined).map((name) => [name, fields[name]]),
      );
      const line = `${namespace}: ${message}`;
      if (level === logLevel.ERROR || level === logLevel.WARN) client.debug(logged, line);
      else client.trace(logged, line);
    };
}

/**
 * Lines below the log level are not even built: at its own debug level kafkajs renders every request and response.
 */
export function clientLogLevel(log: Logger): logLevel {
  if (log.isLevelEnabled('trace')) return logLevel.DEBUG;
  return log.isLevelEnabled('debug') ? logLevel.WARN : logLevel.NOTHING;
}
