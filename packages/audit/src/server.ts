/**
 * A ClickHouse server over HTTP or HTTPS. Many processes may share it: recorders, query services, migrations.
 *
 * Tested with 26.7. The code and the questions need at least 26.3, the oldest version with long-term support.
 */
import { Agent } from 'node:https';
import { ClickHouseLogLevel, createClient } from '@clickhouse/client';
import { MandateError, type TlsFiles } from '@mandate/runtime';
import { z } from 'zod';
import { overClickHouse, type Settings } from './clickhouse.ts';
import type { AuditClient } from './port.ts';
import { rowScope } from './row-scope.ts';

export type ServerAuditOptions = {
  /** The HTTP address of the server, for example `https://clickhouse:8443`. */
  url: string;
  username: string;
  password: string;
  /** The name of the database. The database must exist. `migrate` creates the tables. */
  database: string;
  /** Milliseconds. A statement fails if its whole answer takes longer. Default 30,000. */
  timeoutMs?: number;
  /**
   * True to compress bodies with gzip. Default true. Use false if the server runs on this machine, because the
   * compression takes longer than it saves.
   */
  compress?: boolean;
  /**
   * For https: the authorities to trust instead of the default ones, and a client certificate if the server requires
   * one.
   */
  tls?: TlsFiles;
};

const OLDEST = { major: 26, minor: 3 };

/**
 * The client closes idle sockets after 2 s, before the server does. A server closes an idle socket after its
 * keep_alive_timeout (10 s by default, 3 s before 23.11). A request sent at that moment would fail with ECONNRESET.
 */
const KEEP_ALIVE = { enabled: true, idle_socket_ttl: 2_000, eagerly_destroy_stale_sockets: true };

/**
 * The maximum number of sockets. The recorder and the query service run few statements at a time. Further statements
 * wait in this process and not in the server.
 */
const SOCKETS = 10;

/**
 * Makes the HTTP status reliable: the server sends it after the statement has ended, for every user profile. With
 * progress headers or a streamed answer, the server would send 200 before the result is known. Until the end, this
 * much memory contains the first part of an answer, and the server's disk the rest. If that disk is full, the server
 * (26.7) sends 200 with the part that fits. `mustBeWhole` detects that.
 */
const EVERY_STATEMENT: Settings = {
  send_progress_in_http_headers: 0,
  wait_end_of_query: 1,
  buffer_size: 8 * 1024 * 1024,
};

/** A query cannot change data or settings. The server ends a query if its caller closes the connection. */
const QUERIES: Settings = { readonly: 1, cancel_http_readonly_queries_on_client_close: 1 };

/**
 * Opens the audit and asks the server for its version, so that a wrong address, user, password or database fails here
 * at once. Nothing is retried.
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
    // The driver's log is off, because it would write parameters to the console. Failures are thrown instead, with a
    // remedy.
    log: { level: ClickHouseLogLevel.OFF },
    ...(tls !== undefined && { http_agent: agentWith(tls) }),
  });
  const audit = overClickHouse(client, {
    settingsIn: 'call',
    // ClickHouse stops 1 s before this client does, so that the caller gets the more exact error of ClickHouse.
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
 * Returns an agent that replaces the TLS options of the driver. The driver sends the password unencoded in a header,
 * which refuses most characters. With a client certificate, the driver also tells the server to ignore the password.
 */
function agentWith(tls: TlsFiles): Agent {
  return new Agent({ ...tls, keepAlive: KEEP_ALIVE.enabled, maxSockets: SOCKETS });
}
