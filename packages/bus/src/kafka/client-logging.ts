import type { Logger } from '@mandate/runtime';
import { type LogEntry, logLevel } from 'kafkajs';

/**
 * The useful parts of what kafkajs attaches to a line. The payload of requests is left out: records and secrets travel in
 * it.
 */
const TOLD_FIELDS = ['broker', 'error', 'groupId', 'topic', 'partition', 'retryCount'] as const;

/**
 * kafkajs logs each attempt that fails as an error. Whether it is one is for the bus to say, which knows if the next
 * attempt succeeded: so a line comes down by one level or two.
 */
export function clientLogging(log: Logger) {
  const client = log.child({ client: 'kafkajs' });
  return () =>
    ({ namespace, level, log: { message, ...fields } }: LogEntry) => {
      const told = Object.fromEntries(
        TOLD_FIELDS.filter((name) => fields[name] !== undefined).map((name) => [name, fields[name]]),
      );
      const line = `${namespace}: ${message}`;
      if (level === logLevel.ERROR || level === logLevel.WARN) client.debug(told, line);
      else client.trace(told, line);
    };
}

/** Lines below the log level are not made: kafkajs renders every request and response at its own debug level. */
export function clientLogLevel(log: Logger): logLevel {
  if (log.isLevelEnabled('trace')) return logLevel.DEBUG;
  return log.isLevelEnabled('debug') ? logLevel.WARN : logLevel.NOTHING;
}
