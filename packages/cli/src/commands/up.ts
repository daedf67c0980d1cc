import { DEFAULT_URL } from '@mandate/client';
import type { Plane } from '@mandate/plane';
import { DEFAULT_DATA_PATH, LOG_LEVELS, type LogLevel, runLifecycle } from '@mandate/runtime';
import { loadConfig, otherAreas } from '@mandate/runtime/settings';
import { createLogger } from '@mandate/server';
import { type Command, Option } from 'commander';
import type { CommandContext, RunCommand } from '../command-context.ts';
import type { ExitCode } from '../exit-codes.ts';
import { someText, wholeNumber } from '../input/option-values.ts';
import { paint } from '../output/table.ts';
import { write, writeJsonLine } from '../output/write.ts';
import { type ServerOptions, serverSettings, withServers } from './servers.ts';

type Options = ServerOptions & {
  data?: string;
  mandates?: string;
  policies?: string;
  host?: string;
  port?: number;
  logLevel?: LogLevel;
  json?: true;
};

export function upCommand(command: Command, run: RunCommand): void {
  withServers(
    command
      .description(
        'Runs gateway, decider, recorder, query, control and alerter in one process, with everything in one data folder and no ' +
          'server to install, or on Kafka, Redis and ClickHouse. The first start prints API keys, once. SIGTERM or Ctrl-C stops it ' +
          'gracefully; the log survives kill -9.',
      )
      .option(
        '--data <folder>',
        `where everything is kept (MANDATE_PLANE_DATA_PATH, else ${DEFAULT_DATA_PATH})`,
        someText,
      )
      .option(
        '--mandates <file>',
        'the mandates; read again whenever it changes (else mandates.yaml in the data folder)',
        someText,
      )
      .option(
        '--policies <path>',
        'agents, policies and rules, a file or a folder: what differs is changed at the start, as `mandate apply` does',
        someText,
      ),
    {
      kafka: ', else a file in the data folder',
      redis: '; else in memory',
      clickhouse: ', else in this process and the data folder',
    },
  )
    .option('--host <address>', 'where to listen (else 127.0.0.1)', someText)
    .option(
      '--port <port>',
      'where to listen; 0 takes any free port (else 7420)',
      wholeNumber({ min: 0, max: 65_535 }),
    )
    .addOption(
      new Option('--log-level <level>', 'of the JSON lines on stderr (else warn)').choices(LOG_LEVELS),
    )
    .option('--json', 'say where it listens, and the first keys, as one JSON line')
    .addHelpText(
      'after',
      `
Every setting of the environment: docs/operations.md.

Examples:
  mandate up
  mandate up --data /var/lib/mandate --mandates /etc/mandate/mandates.yaml --port 7420
  mandate up --policies policies/
  MANDATE_PLANE_SYNCHRONOUS=FULL mandate up      survives the loss of power, too
  mandate up --kafka k1:9092,k2:9092 --redis rediss://r:6379 --clickhouse https://c:8443
                                                 after \`mandate migrate\` with the same three

On Kafka the ledger must be on Redis: deciders that share a log share a ledger. API keys and mandates stay files of
the data folder. Users, passwords and TLS have settings of their own: MANDATE_KAFKA_…, MANDATE_REDIS_…, MANDATE_CLICKHOUSE_….`,
    )
    .action((options: Options) => run((context) => up(options, context)));
}

async function up(options: Options, context: CommandContext): Promise<ExitCode> {
  // Loaded only here: the other commands need no database engine.
  const { openPlane, planeConfig } = await import('@mandate/plane');
  const { stdout, env, signal } = context;
  const config = loadConfig(
    planeConfig,
    { ...env, ...flags(options) },
    { otherAreas: otherAreas(planeConfig) },
  );
  const log = createLogger({ name: 'plane', level: config.PLANE_LOG_LEVEL });
  const plane = await openPlane(config, log, env);
  if (signal.aborted) {
    await plane.stop();
    return 0;
  }
  if (options.json) {
    await writeJsonLine(stdout, { url: plane.url, data: plane.folder.path, keys: plane.firstKeys });
  } else {
    await write(stdout, greeting(plane, stdout));
  }
  const part = { name: 'the plane', start: async () => plane, stopTimeoutMs: 30_000 };
  return runLifecycle({ log, stop: signal, parts: [part] });
}

/** Flags are settings by another name: they go the same way, and are checked in the same place. */
function flags(options: Options): Record<string, string> {
  const { data, mandates, policies, host, port, logLevel } = options;
  const given = {
    ...serverSettings(options),
    MANDATE_PLANE_DATA_PATH: data,
    MANDATE_PLANE_MANDATES_PATH: mandates,
    MANDATE_PLANE_POLICIES_PATH: policies,
    MANDATE_PLANE_HOST: host,
    MANDATE_PLANE_PORT: port?.toString(),
    MANDATE_PLANE_LOG_LEVEL: logLevel,
  };
  const entries: [string, string][] = [];
  for (const [name, value] of Object.entries(given)) if (value !== undefined) entries.push([name, value]);
  return Object.fromEntries(entries);
}

/** The words for a key that names its agents. */
function forAgents(agents: readonly string[]): string {
  return agents.includes('*') ? '' : ` of ${agents.join(', ')}`;
}

function greeting({ url, folder, firstKeys }: Plane, stdout: CommandContext['stdout']): string {
  const lines = [
    `Mandate is up at ${paint('bold', url, stdout)}`,
    `  mandates   ${folder.mandates} (edit it: it is read again at once)`,
    `  interface  ${url}/docs   health ${url}/readyz   metrics ${url}/metrics`,
  ];
  if (firstKeys.length > 0) {
    lines.push('', 'API keys of this plane. They are shown now and never again; only hashes are kept:');
    for (const { name, key, scopes, agents } of firstKeys)
      lines.push(`  ${name.padEnd(10)} ${key}   ${scopes.join(' ')}${forAgents(agents)}`);
    lines.push(
      '',
      `  export MANDATE_API_KEY=${firstKeys.find(({ name }) => name === 'operator')?.key ?? ''}`,
    );
    if (url !== DEFAULT_URL) lines.push(`  export MANDATE_URL=${url}`);
  } else {
    lines.push(
      '  API keys   shown at the first start only; `mandate keys list` names them, `mandate keys issue` makes more',
    );
  }
  return `${lines.join('\n')}\n`;
}
