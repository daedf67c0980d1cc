import { DEFAULT_URL } from '@mandate/client';
import { holdManifest } from '@mandate/documents';
import type { Plane } from '@mandate/plane';
import { DEFAULT_DATA_PATH, LOG_LEVELS, type LogLevel, runLifecycle } from '@mandate/runtime';
import { createLogger } from '@mandate/server';
import { type Command, Option } from 'commander';
import type { CommandContext, RunCommand } from '../command-context.ts';
import type { ExitCode } from '../exit-codes.ts';
import { type ManifestFlags, withManifests } from '../input/manifest-options.ts';
import { someText, wholeNumber } from '../input/option-values.ts';
import { paint } from '../output/table.ts';
import { write, writeJsonLine } from '../output/write.ts';
import { type ServerOptions, settingsOf, withServers } from './servers.ts';

type Options = ServerOptions &
  ManifestFlags & {
    data?: string;
    mandates?: string;
    policies?: string;
    runner?: string;
    models?: string;
    oidc?: string;
    host?: string;
    port?: number;
    logLevel?: LogLevel;
  };

export function upCommand(command: Command, run: RunCommand): void {
  command
    .description(
      'Runs gateway, decider, recorder, query, control, alerter, runner and model gateway in one process: with everything in one ' +
        'data folder and no server to install, or on Kafka, Redis and ClickHouse. The first start prints API keys, once. SIGTERM or Ctrl-C stops ' +
        'the plane. The log survives kill -9.',
    )
    .option('--data <folder>', `where everything is kept (default ${DEFAULT_DATA_PATH})`, someText)
    .option('--policies <path>', 'agents, policies and rules to apply at the start', someText)
    .option('--mandates <file>', 'the mandates file (default mandates.yaml of the data folder)', someText)
    .option(
      '--runner <file>',
      'servers of tools and models for runs (default runner.yaml of the data folder)',
      someText,
    )
    .option(
      '--models <file>',
      'upstreams of the model gateway (default models.yaml of the data folder)',
      someText,
    )
    .option(
      '--oidc <file>',
      'the identity provider through which people sign in (default oidc.yaml of the data folder)',
      someText,
    )
    .option('--host <address>', 'the address to listen at (default 127.0.0.1)', someText)
    .option(
      '--port <port>',
      'the port to listen at; 0 is any free port (default 7420)',
      wholeNumber({ min: 0, max: 65_535 }),
    )
    .addOption(
      new Option('--log-level <level>', 'the lowest level of the log on stderr; default warn').choices(
        LOG_LEVELS,
      ),
    );
  withServers(withManifests(command))
    .addHelpText(
      'after',
      `
Without the three servers, the log is a file, the ledger is in memory, and the
audit is in this process. On Kafka the ledger must be on Redis. API keys and
mandates stay files of the data folder. The mandates file and the manifests of
--policies are read again when they change. --json prints the address and the
first keys as one line.
docs/operations.md has every setting of the environment.

Examples:
  mandate up
  mandate up --policies policies/
  mandate up --policies tutor/ --env production
  mandate up --runner runner.yaml
  mandate up --models models.yaml
  mandate up --oidc oidc.yaml
  mandate up --data /var/lib/mandate --mandates /etc/mandate/mandates.yaml
  mandate up --kafka k1:9092,k2:9092 --redis rediss://r:6379 \\
    --clickhouse https://c:8443   (first: mandate migrate, with the same three)
  MANDATE_PLANE_SYNCHRONOUS=FULL mandate up     (survives the loss of power too)`,
    )
    .action((options: Options) => run((context) => up(options, context)));
}

async function up(options: Options, context: CommandContext): Promise<ExitCode> {
  // Imported only here, because the other commands need no database engine.
  const { openPlane, planeConfig } = await import('@mandate/plane');
  const { stdout, env, signal } = context;
  const {
    data,
    mandates,
    policies,
    runner,
    models,
    oidc,
    env: environment,
    lenient,
    host,
    port,
    logLevel,
  } = options;
  // Options are read like environment variables, so that the same code checks both.
  const config = settingsOf(planeConfig, options, env, {
    MANDATE_PLANE_DATA_PATH: data,
    MANDATE_PLANE_MANDATES_PATH: mandates,
    MANDATE_PLANE_POLICIES_PATH: policies,
    MANDATE_PLANE_POLICIES_ENVIRONMENT: environment,
    MANDATE_PLANE_POLICIES_LENIENT: lenient?.toString(),
    MANDATE_RUNNER_CONFIG_PATH: runner,
    MANDATE_MODELS_CONFIG_PATH: models,
    MANDATE_CONSOLE_OIDC_PATH: oidc,
    MANDATE_PLANE_HOST: host,
    MANDATE_PLANE_PORT: port?.toString(),
    MANDATE_PLANE_LOG_LEVEL: logLevel,
  });
  const log = createLogger({ name: 'plane', level: config.PLANE_LOG_LEVEL });
  const plane = await openPlane(config, log, env);
  if (signal.aborted) {
    await plane.stop();
    return 0;
  }
  if (context.json) {
    await writeJsonLine(stdout, { url: plane.url, data: plane.folder.path, keys: plane.firstKeys });
  } else {
    await write(stdout, greeting(plane, config.PLANE_POLICIES_PATH, stdout));
  }
  const part = { name: 'the plane', start: async () => plane, stopTimeoutMs: 30_000 };
  return runLifecycle({ log, stop: signal, parts: [part] });
}

function forAgents(agents: readonly string[]): string {
  return agents.includes('*') ? '' : ` of ${agents.join(', ')}`;
}

function whenRead(policies: string): string {
  const manifests = holdManifest([policies]) ? '; manifests also when they change' : '';
  return `applied at each start${manifests}`;
}

function greeting(
  { url, folder, firstKeys }: Plane,
  policies: string | undefined,
  stdout: CommandContext['stdout'],
): string {
  const lines = [
    `Mandate is up at ${paint('bold', url, stdout)}`,
    ...(policies === undefined ? [] : [`  policies   ${policies} (${whenRead(policies)})`]),
    `  mandates   ${folder.mandates} (read again when it changes)`,
    `  interface  ${url}/docs   health ${url}/readyz   metrics ${url}/metrics`,
  ];
  if (firstKeys.length > 0) {
    lines.push('', 'API keys of this plane. They are shown now and never again; only hashes are kept:');
    for (const { name, key, scopes, agents } of firstKeys)
      lines.push(`  ${name.padEnd(10)} ${key}   ${scopes.join(' ')}${forAgents(agents)}`);
    const where = url === DEFAULT_URL ? '' : ` --url ${url}`;
    lines.push('', `In another terminal, run \`npx mandate login${where}\` and give it the operator key.`);
  } else {
    lines.push(
      '  API keys   shown at the first start only: `mandate keys list` lists them, `mandate keys issue` makes more',
    );
  }
  return `${lines.join('\n')}\n`;
}
