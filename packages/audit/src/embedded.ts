/**
 * ClickHouse inside this process (chdb), on its own directory: no server needs to be installed. Measured with 24.21
 * on two cores: the engine works on threads of libuv's pool, so the event loop stays free during inserts and selects.
 * It opens an existing directory in 0.15 s. A process killed during an insert leaves whole inserts only, and no stale
 * lock.
 *
 * A directory belongs to one process, because ClickHouse locks it. A process has one directory, because ClickHouse
 * refuses a second one.
 */
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ClickHouseClientConfigOptions, createClient } from '@clickhouse/client';
import { MandateError } from '@mandate/runtime';
import type { ChdbConnection } from 'chdb/connection';
import { overClickHouse } from './clickhouse.ts';
import { lowerEngineThreads, noteOwnThreads } from './engine-threads.ts';
import type { AuditClient } from './port.ts';

/**
 * Opens the directory, and creates it if it does not exist.
 *
 * @throws MandateError AUDIT_LOCKED if another process has it open, AUDIT_ENGINE_MISSING if chdb has no engine for
 *   this platform, AUDIT_NOT_OPENED if the directory cannot be opened
 */
export async function openEmbeddedAudit(options: { path: string }): Promise<AuditClient> {
  noteOwnThreads();
  const connection = withoutCallSettings(await connect(options.path));
  const audit = overClickHouse(createClient({ connection }), { settingsIn: 'text' });
  await audit.ping();
  // Lowers the priority of the engine's threads, because its merges would use every core.
  lowerEngineThreads();
  // The engine cannot stop a query. So closing also waits for aborted queries.
  return {
    ...audit,
    query: (sql, params, row) => audit.query(sql, params, row),
    file: (sql, params, format) => audit.file(sql, params, format),
  };
}

/** Removes the settings of a call. chdb would run them as SET statements, and they would stay with the session. */
function withoutCallSettings(chdb: ChdbConnection): NonNullable<ClickHouseClientConfigOptions['connection']> {
  return {
    query: ({ clickhouse_settings: _, ...params }) => chdb.query(params),
    command: ({ clickhouse_settings: _, ...params }) => chdb.command(params),
    insert: ({ clickhouse_settings: _, ...params }) => chdb.insert(params),
    exec: ({ clickhouse_settings: _, ...params }) => chdb.exec(params),
    ping: ({ clickhouse_settings: _, ...params }) => chdb.ping(params),
    close: () => chdb.close(),
  };
}

/**
 * Throws if the engine is missing. chdb has an optional package with the engine for each of four platforms. npm
 * installs only the package for its own platform.
 */
async function mustHaveEngine(): Promise<void> {
  const { tryResolveLibchdb } = await import('chdb/libchdb');
  if (tryResolveLibchdb() !== undefined) return;
  const here = `${process.platform} ${process.arch}`;
  throw new MandateError(
    'AUDIT_ENGINE_MISSING',
    `The ClickHouse engine inside this process (npm package chdb) is not installed for ${here}.`,
    {
      remedy:
        'Name a ClickHouse server in MANDATE_CLICKHOUSE_URL. chdb supports macOS and Linux with glibc, ' +
        'on x64 and arm64: there, run `npm ci` again. On Windows, use WSL2 or a server.',
    },
  );
}

async function connect(path: string): Promise<ChdbConnection> {
  await mustHaveEngine();
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
    // Loaded only here, because services that use a ClickHouse server should not need an engine of 500 MB.
    const { createChdbConnection } = await import('chdb/connection');
    return createChdbConnection({ path });
  } catch (cause) {
    const holder = processHolding(path);
    if (holder !== null) {
      // This error replaces the error of ClickHouse, which contains no more information.
      throw new MandateError('AUDIT_LOCKED', `The audit data in ${path} is in use by process ${holder}.`, {
        remedy: 'Stop that process, ask it over HTTP instead, or choose another data directory.',
      });
    }
    const said = cause instanceof Error ? cause.message : String(cause);
    throw new MandateError('AUDIT_NOT_OPENED', `The audit data in ${path} cannot be opened: ${said}`, {
      remedy: 'Check that the directory can be written, and that this process has no other audit open.',
      cause,
    });
  }
}

/**
 * Returns the id of the process that holds the lock. A killed process leaves the lock file behind, so the file alone
 * proves nothing. The file is read only after ClickHouse has refused the directory.
 */
function processHolding(path: string): number | null {
  const status = readOrNull(join(path, 'status'));
  const pid = Number(/^PID: (\d+)$/m.exec(status ?? '')?.[1] ?? Number.NaN);
  if (!Number.isSafeInteger(pid) || pid === process.pid) return null;
  return isAlive(pid) ? pid : null;
}

function readOrNull(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return null;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM means that the process lives and belongs to another user.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
