import type { Finding, MigrateConfig } from '@mandate/plane/migrate';
import type { Command } from 'commander';
import type { CommandContext, Output, RunCommand } from '../command-context.ts';
import { type ExitCode, WrongUse } from '../exit-codes.ts';
import { printableLines } from '../output/printable.ts';
import { progressOn } from '../output/progress.ts';
import { paint } from '../output/table.ts';
import { write, writeJsonLine } from '../output/write.ts';
import { type ServerOptions, settingsOf, withServers } from './servers.ts';

type Options = ServerOptions & { check?: true };

export function migrateCommand(command: Command, run: RunCommand): void {
  withServers(command)
    .description(
      'Prepares servers for a plane, before the first start and with each new version. Makes missing topics and the tables of ' +
        'the audit. Checks that existing topics and Redis keep what must be kept. Can be repeated, also while a plane runs. ' +
        'Changes no setting of what exists.',
    )
    .option('--check', 'only check, and change nothing')
    .addHelpText(
      'after',
      `
Servers that are not named are left out. Users, passwords, TLS and replication
are settings: docs/operations.md. If the control service may not make topics,
this command makes the topics of tenants that have their own. One broker needs
MANDATE_KAFKA_REPLICATION_FACTOR=1 and MANDATE_KAFKA_MIN_IN_SYNC_REPLICAS=1.

Exit code 3 if something is missing or wrong and was not made, 1 if a server
does not answer.

Examples:
  mandate migrate --kafka k1:9092,k2:9092 --redis rediss://r:6379 \\
    --clickhouse https://c:8443
  mandate migrate --check --json | jq 'select(.state != "ok")'`,
    )
    .action((options: Options) => run((context) => migrate(options, context)));
}

async function migrate(options: Options, context: CommandContext): Promise<ExitCode> {
  // Imported only here, because the other commands need no clients of servers.
  const { migrateConfig } = await import('@mandate/plane/migrate');
  const { stdout, stderr, env, signal } = context;
  const config = settingsOf(migrateConfig, options, env);
  const found: Finding[] = [];
  for (const { name, look } of await serversOf(config, options.check === true)) {
    const waiting = showWaiting(`asking ${name}`, stderr);
    try {
      for await (const finding of look()) {
        signal.throwIfAborted();
        found.push(finding);
        waiting.clear();
        if (context.json) await writeJsonLine(stdout, finding);
        else await write(stdout, lineOf(finding, stdout));
      }
    } finally {
      waiting.end();
    }
  }
  if (found.some(({ state }) => state === 'unknown')) return 1;
  return found.some(({ state }) => state === 'wrong') ? 3 : 0;
}

const SHOW_EVERY_MS = 250;

function showWaiting(what: string, stderr: Output) {
  const progress = progressOn(stderr);
  const startedMs = performance.now();
  const show = () => progress.show(`${what} … ${Math.round((performance.now() - startedMs) / 1_000)} s`);
  const timer = setInterval(show, SHOW_EVERY_MS);
  return {
    clear: progress.clear,
    end() {
      clearInterval(timer);
      progress.clear();
    },
  };
}

type Server = { name: string; look(): AsyncGenerator<Finding> };

async function serversOf(config: MigrateConfig, isCheck: boolean): Promise<Server[]> {
  const servers: Server[] = [];
  if (config.KAFKA_BROKERS !== undefined) {
    const { kafkaTopics } = await import('@mandate/plane/migrate');
    servers.push({ name: 'kafka', look: () => kafkaTopics(config, isCheck) });
  }
  if (config.REDIS_URL !== undefined || config.REDIS_CLUSTER_NODES !== undefined) {
    const { redisServer } = await import('@mandate/plane/migrate');
    servers.push({ name: 'redis', look: () => redisServer(config) });
  }
  const { CLICKHOUSE_URL: url } = config;
  if (url !== undefined) {
    const { clickhouseTables } = await import('@mandate/plane/migrate');
    servers.push({ name: 'clickhouse', look: () => clickhouseTables(config, url, isCheck) });
  }
  if (servers.length > 0) return servers;
  throw new WrongUse(
    'no server is named',
    'Name them with --kafka, --redis and --clickhouse, or in MANDATE_KAFKA_BROKERS, MANDATE_REDIS_URL and MANDATE_CLICKHOUSE_URL. A plane on a data folder needs none of this.',
  );
}

const COLOUR = { ok: 'green', made: 'green', wrong: 'red', unknown: 'yellow' } as const;

function lineOf({ server, what, state, detail, remedy }: Finding, stdout: Output): string {
  const said = printableLines(
    `${server} ${what}: ${detail}\n${remedy === null ? '' : `         ${remedy}\n`}`,
  );
  return `${paint(COLOUR[state], state.padEnd(7), stdout)}  ${said}`;
}
