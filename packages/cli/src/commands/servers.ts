/** The options that name the servers of a plane: settings by another name, which go the same way. */
import type { Command } from 'commander';
import { someText } from '../input/option-values.ts';

export type ServerOptions = { kafka?: string; redis?: string; clickhouse?: string };

export function withServers(command: Command, otherwise: Record<keyof ServerOptions, string>): Command {
  return command
    .option(
      '--kafka <brokers>',
      `the log on Kafka: host:port, several between commas (MANDATE_KAFKA_BROKERS${otherwise.kafka})`,
      someText,
    )
    .option(
      '--redis <url>',
      `the ledger on Redis (MANDATE_REDIS_URL, which shows a password to nobody${otherwise.redis})`,
      someText,
    )
    .option(
      '--clickhouse <url>',
      `the audit on ClickHouse (MANDATE_CLICKHOUSE_URL${otherwise.clickhouse})`,
      someText,
    );
}

/** As the environment would name them. */
export function serverSettings({ kafka, redis, clickhouse }: ServerOptions): Record<string, string> {
  return {
    ...(kafka !== undefined && { MANDATE_KAFKA_BROKERS: kafka }),
    ...(redis !== undefined && { MANDATE_REDIS_URL: redis }),
    ...(clickhouse !== undefined && { MANDATE_CLICKHOUSE_URL: clickhouse }),
  };
}
