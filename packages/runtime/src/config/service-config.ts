/**
 * The first step of every main.ts: prints the settings for `--help`, reads the settings, or prints all their faults.
 */
import type { z } from 'zod';
import { isMandateError } from '../errors.ts';
import { describeConfig } from './describe-config.ts';
import { loadConfig } from './load-config.ts';

/** The part of Node's `process` that this file needs. */
export type ConfigPort = {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdout: { write(text: string): unknown };
  readonly stderr: { write(text: string): unknown };
  chdir(folder: string): void;
  exit(code: number): never;
};

/**
 * The areas (name prefixes) of all processes. One environment may contain the settings of several processes, and each
 * process checks only its own settings. The CLI (`mandate`) uses API and the areas that end in URL.
 */
const AREAS = [
  ...[
    'ALERTER',
    'CONSOLE',
    'CONTROL',
    'DECIDER',
    'GATEWAY',
    'MODELS',
    'PLANE',
    'QUERY',
    'RECORDER',
    'RUNNER',
  ],
  ...['ALERTER_URL', 'API', 'CONTROL_URL', 'QUERY_URL', 'RUNNER_URL', 'URL'],
  ...['CLICKHOUSE', 'KAFKA', 'OTLP', 'PRIVACY', 'REDIS'],
];

/** The exit code of a process that could not start because of its settings. */
const USAGE = 2;

/**
 * Prints every setting and exits with 0 for `--help`. Prints every fault and exits with 2 for a wrong environment or
 * an argument. Relative paths start where npm was called, because npm runs a workspace's script in that workspace's
 * folder.
 *
 * @param own the process, passed by its main.ts
 * @param about one line for `--help`
 */
export function serviceConfig<S extends z.ZodObject>(
  own: ConfigPort,
  { service, about, schema }: { service: string; about: string; schema: S },
): Readonly<z.output<S>> {
  const args = own.argv.slice(2);
  if (args.includes('--help') || args.includes('-h')) {
    own.stdout.write(helpText(service, about, schema));
    return own.exit(0);
  }
  if (args.length > 0) {
    own.stderr.write(`${service} takes no arguments (got ${args.join(' ')}); --help shows its settings.\n`);
    return own.exit(USAGE);
  }
  if (own.env.INIT_CWD !== undefined) own.chdir(own.env.INIT_CWD);
  try {
    return loadConfig(schema, own.env, { otherAreas: otherAreas(schema) });
  } catch (error) {
    if (!isMandateError(error, 'CONFIG_INVALID')) throw error;
    own.stderr.write(`${service} did not start: ${error.message}\n${error.remedy}\n`);
    return own.exit(USAGE);
  }
}

/** Returns the areas of all other processes. A reader of this schema ignores their settings. */
export function otherAreas(schema: z.ZodObject): readonly string[] {
  const own = new Set(Object.keys(schema.shape).map((key) => key.split('_')[0]));
  return AREAS.filter((area) => !own.has(area));
}

function helpText(service: string, about: string, schema: z.ZodObject): string {
  const rows = describeConfig(schema).map(
    ({ name, type, default: standard, required, secret, description }) => {
      const facts = [type, secret && 'secret', required ? 'required' : standard && `default ${standard}`];
      return `  ${name}\n      ${description} (${facts.filter(Boolean).join('; ')})\n`;
    },
  );
  return `Mandate ${service}. ${about}\n\nSettings, in the environment:\n\n${rows.join('')}`;
}
