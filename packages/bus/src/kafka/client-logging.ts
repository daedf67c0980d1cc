import type { Logger } from '@mandate/runtime';
import { type LogEntry, logLevel } from 'kafkajs';

/**
 * The fields of a kafkajs log line that Mandate logs. The request payload is left out, because it contains records
 * and secrets.
 */
const LOGGED_FIELDS = ['broker', 'error', 'groupId', 'topic', 'partition', 'retryCount'] as const;

/**
 * Logs lines of kafkajs at a lower level. kafkajs logs each failed attempt as an error, but only the bus knows
 * whether the next attempt succeeds.
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
 * Returns the log level for kafkajs. DEBUG is used only if the logger logs traces: at DEBUG, kafkajs writes every
 * request and response as text, even if the logger drops the text.
 */
export function clientLogLevel(log: Logger): logLevel {
  if (log.isLevelEnabled('trace')) return logLevel.DEBUG;
  return log.isLevelEnabled('debug') ? logLevel.WARN : logLevel.NOTHING;
}
