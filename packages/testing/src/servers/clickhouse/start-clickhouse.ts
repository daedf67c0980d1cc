/**
 * One ClickHouse on HTTP, with its own folder and port: the engine of the npm package chdb, in a process of its own.
 * To clients it is a server like any other, except (tried with 26.7):
 *
 * - users, passwords, grants, row filters, quotas and profiles come from `usersFile` only: CREATE USER, ROW POLICY
 *   and QUOTA fail with "no writeable access storage", whatever user directories are configured;
 * - it listens on HTTP and on the native protocol, not on HTTPS;
 * - only the log tables that the configuration names exist: here system.query_log;
 * - SIGTERM ends it in the same way as SIGKILL, and it opens its folder again after both.
 */
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onFreePorts } from '../free-port.ts';
import { removeFolder } from '../remove-folder.ts';
import { type Server, startServer } from '../server-process.ts';
import { DEFAULT_USERS } from './default-users.ts';
import { installedClickHouse } from './installed-clickhouse.ts';

const SERVE = join(import.meta.dirname, 'system/serve-clickhouse.ts');

export type ClickHouseOptions = {
  /** The content of users.xml. Default: only the user `default`, with all rights and without a password. */
  readonly usersFile?: string;
  /** Settings of the server by name, such as `max_concurrent_queries`. */
  readonly config?: Readonly<Record<string, string>>;
  /**
   * The folder for the data, for example on a disk that a test fills. Default: a new folder, which is removed with
   * the server.
   */
  readonly dataFolder?: string;
};

export type ClickHouseServer = Server &
  AsyncDisposable & {
    readonly url: string;
    readonly port: number;
    /** Ends the server and removes its data. */
    stop(): Promise<void>;
  };

/** Resolves once the server accepts requests. @throws MissingServerError if there is no engine for this platform */
export async function startClickHouse(options: ClickHouseOptions = {}): Promise<ClickHouseServer> {
  await installedClickHouse();
  const folder = await mkdtemp(join(tmpdir(), 'mandate-clickhouse-'));
  try {
    const configFile = await writeConfig(folder, options);
    return await onFreePorts(1, async ([port = 0]) => {
      const server = await startServer({
        command: process.execPath,
        args: [SERVE, ...localArguments(options.dataFolder ?? join(folder, 'data'), configFile, port)],
        folder,
        ready: /Listening for http:/,
      });
      const stop = () => server.end().then(() => removeFolder(folder));
      return Object.assign(server, {
        url: `http://127.0.0.1:${port}`,
        port,
        stop,
        [Symbol.asyncDispose]: stop,
      });
    });
  } catch (error) {
    await removeFolder(folder);
    throw error;
  }
}

/** Returns the arguments. clickhouse-local ends after its last query, so the last query sleeps for a year. */
function localArguments(dataFolder: string, configFile: string, port: number): string[] {
  const forEver = `SELECT sleepEachRow(1) FROM numbers(365 * 86400)
    SETTINGS function_sleep_max_microseconds_per_block = 0, max_block_size = 1, log_queries = 0 FORMAT Null`;
  return [
    `--config-file=${configFile}`,
    `--path=${dataFolder}`,
    `--http_port=${port}`,
    '--listen_host=127.0.0.1',
    '--log-level=information',
    '--multiquery',
    ...['--query', `SYSTEM START LISTEN HTTP; ${forEver}`],
  ];
}

async function writeConfig(folder: string, options: ClickHouseOptions): Promise<string> {
  const ownUsers = join(folder, 'users.xml');
  if (options.usersFile === undefined) await writeFile(ownUsers, DEFAULT_USERS);
  const settings = Object.entries(options.config ?? {}).map(([name, value]) => `<${name}>${value}</${name}>`);
  const file = join(folder, 'config.xml');
  await writeFile(
    file,
    `<clickhouse>
  <logger><console>1</console></logger>
  <users_config>${options.usersFile ?? ownUsers}</users_config>
  <query_log>
    <database>system</database>
    <table>query_log</table>
    <flush_interval_milliseconds>500</flush_interval_milliseconds>
  </query_log>
  ${settings.join('\n  ')}
</clickhouse>
`,
  );
  return file;
}
