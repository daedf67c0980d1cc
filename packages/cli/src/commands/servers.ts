/** The options that name the servers of a plane. Each option is also a setting in the environment. */
import type { Command } from 'commander';
import { someText } from '../input/option-values.ts';

export type ServerOptions = { kafka?: string; redis?: string; clickhouse?: string };

export function withServers(command: Command): Command {
  return command
    .option('--kafka <brokers>', 'Kafka for the log: host:port,host:port (MANDATE_KAFKA_BROKERS)', someText)
    .option('--redis <url>', 'Redis for the ledger; a password only in MANDATE_REDIS_URL', someText)
    .option('--clickhouse <url>', 'ClickHouse for the audit (MANDATE_CLICKHOUSE_URL)', someText);
}

/** The options as settings of the environment. */
export function serverSettings({ kafka, redis, clickhouse }: ServerOptions): Record<string, string> {
  return {
    ...(kafka !== undefined && { MANDATE_KAFKA_BROKERS: kafka }),
    ...(redis !== undefined && { MANDATE_REDIS_URL: redis }),
    ...(clickhouse !== undefined && { MANDATE_CLICKHOUSE_URL: clickhouse }),
  };
}
