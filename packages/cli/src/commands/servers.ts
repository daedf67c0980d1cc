/** The command options that name the servers of a plane. Each option is also an environment variable. */
import { loadConfig, otherAreas } from '@mandate/runtime/settings';
import type { Command } from 'commander';
import type { z } from 'zod';
import type { CommandContext } from '../command-context.ts';
import { someText } from '../input/option-values.ts';
import type { FolderOptions } from './folder.ts';

export type ServerOptions = { kafka?: string; redis?: string; clickhouse?: string };

export function withServers(command: Command): Command {
  return command
    .option('--kafka <brokers>', 'Kafka for the log: host:port,host:port (MANDATE_KAFKA_BROKERS)', someText)
    .option('--redis <url>', 'Redis for the ledger; a password only in MANDATE_REDIS_URL', someText)
    .option('--clickhouse <url>', 'ClickHouse for the audit (MANDATE_CLICKHOUSE_URL)', someText);
}

/** Returns the settings of a command that reads a data folder or a server. `--data` overrides servers of the environment. */
export function settingsOfSource<Schema extends z.ZodObject>(
  schema: Schema,
  options: ServerOptions & FolderOptions,
  env: CommandContext['env'],
): Readonly<z.output<Schema>> {
  const noServers = { MANDATE_KAFKA_BROKERS: undefined, MANDATE_CLICKHOUSE_URL: undefined };
  return settingsOf(schema, options, options.data === undefined ? env : { ...env, ...noServers });
}

/** Returns the settings of a command. Options override the environment. @param more other options, as settings */
export function settingsOf<Schema extends z.ZodObject>(
  schema: Schema,
  { kafka, redis, clickhouse }: ServerOptions,
  env: CommandContext['env'],
  more: CommandContext['env'] = {},
): Readonly<z.output<Schema>> {
  const servers = {
    MANDATE_KAFKA_BROKERS: kafka,
    MANDATE_REDIS_URL: redis,
    MANDATE_CLICKHOUSE_URL: clickhouse,
  };
  const given = Object.entries({ ...servers, ...more }).filter(([, value]) => value !== undefined);
  return loadConfig(schema, { ...env, ...Object.fromEntries(given) }, { otherAreas: otherAreas(schema) });
}
