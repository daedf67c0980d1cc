/**
 * ClickHouse as a server, over HTTP or HTTPS. Many processes may share it: recorders, query services, migrations.
 *
 * Tried with 26.7. Nothing here or in the questions is newer than 26.3, the oldest version with long support.
 */
import { Agent } from 'node:https';
import { ClickHouseLogLevel, createClient } from '@clickhouse/client';
import { MandateError, type TlsFiles } from '@mandate/runtime';
import { z } from 'zod';
import { overClickHouse, type Settings } from './clickhouse.ts';
import type { AuditClient } from './port.ts';
import { rowScope } from './row-scope.ts';

export type ServerAuditOptions = {
  /** Where it answers HTTP: `https://clickhouse:8443`. */
  url: string;
  username: string;
  password: string;
  /** Must be there; `migrate` makes the tables in it. */
  database: string;
  /** After so long without a whole answer a statement has failed. Default 30,000. */
  timeoutMs?: number;
  /** Whether bodies travel compressed (gzip). Default true; not worth its time where the server is this machine. */
  compress?: boolean;
  /** For https: the authorities to trust instead of the usual ones, and our own certificate if the server asks for it. */
  tls?: TlsFiles;
};

const OLDEST = { major: 26, minor: 3 };

/**
 * A server closes a socket that was idle for its keep_alive_timeout (10 s by default, 3 s before 23.11), and a request
 * that had been sent into it meanwhile is lost: ECONNRESET. So sockets that were idle for less than that are left.
 */
const KEEP_ALIVE = { enabled: true, idle_socket_ttl: 2_000, eagerly_destroy_stale_sockets: true };

/** Recorder and query service ask for a few things at a time; what is beyond waits here instead of there. */
const SOCKETS = 10;

/**
 * A status that is true: sent when the statement is over, whatever the user's profile says. With headers that tell of
 * progress, or an answer sent as it comes, 200 is sent before it is known how it ends. Until then an answer lies in so
 * much memory, and what is beyond on the server's disk: where that is full, 200 is said of as much as fits (26.7), which
 * is nothing at all where no memory is given. `mustBeWhole` notices the rest.
 */
const EVERY_STATEMENT: Settings = {
  send_progress_in_http_headers: 0,
  wait_end_of_query: 1,
  buffer_size: 8 * 1024 * 1024,
};

/** A question changes nothing, the settings beside it included, and ends when its caller no longer waits. */
const QUERIES: Settings = { readonly: 1, cancel_http_readonly_queries_on_client_close: 1 };

/**
 * Opens it, and asks it for its version: what is wrong with address, user, password or database shows here, at once.
 * Nothing is repeated.
 *
 * @throws MandateError AUDIT_UNAVAILABLE, AUDIT_ACCESS_DENIED, AUDIT_DATABASE_MISSING (all retryable),
 *   AUDIT_SERVER_TOO_OLD
 */
export async function openServerAudit(options: ServerAuditOptions): Promise<AuditClient> {
  const { url, username, password, database, timeoutMs = 30_000, compress = true, tls } = options;
  const client = createClient({
    url,
    username,
    password,
    database,
    application: 'mandate',
    request_timeout: timeoutMs,
    compression: { request: compress, response: compress },
    keep_alive: KEEP_ALIVE,
    max_open_connections: SOCKETS,
    clickhouse_settings: EVERY_STATEMENT,
    // It would write parameters, and so what agents did, to the console; what fails is thrown, with what to do.
    log: { level: ClickHouseLogLevel.OFF },
    ...(tls !== undefined && { http_agent: agentWith(tls) }),
  });
  const audit = overClickHouse(client, {
    settingsIn: 'call',
    // Before we stop waiting, so that the error is ClickHouse's own.
    querySettings: { ...QUERIES, max_execution_time: Math.max(1, Math.floor(timeoutMs / 1_000) - 1) },
    headersOf: rowScope,
    timeoutMs,
  });
  try {
    await refuseOldVersion(audit);
  } catch (error) {
    await audit.close();
    throw error;
  }
  return audit;
}

async function refuseOldVersion(audit: AuditClient): Promise<void> {
  const [server] = await audit.query('SELECT version() AS version', {}, z.object({ version: z.string() }));
  const [major = 0, minor = 0] = (server?.version ?? '').split('.').map(Number);
  if (major > OLDEST.major || (major === OLDEST.major && minor >= OLDEST.minor)) return;
  throw new MandateError(
    'AUDIT_SERVER_TOO_OLD',
    `This ClickHouse is version ${server?.version}; Mandate needs ${OLDEST.major}.${OLDEST.minor} or later.`,
    { remedy: 'Upgrade the server; the tables stay as they are.' },
  );
}

/**
 * In the place of the client's own way to say the same. That one sends the password as it is in a header, where most
 * characters are refused, and with a certificate asks the server to know the user by it instead of by the password.
 */
function agentWith(tls: TlsFiles): Agent {
  return new Agent({ ...tls, keepAlive: KEEP_ALIVE.enabled, maxSockets: SOCKETS });
}
