/**
 * ClickHouse as a server, over HTTP or HTTPS. Many processes may share it: recorders, query services, migrations.
 *
 * Tested with 26.7. Nothing here or in the questions needs more than 26.3, the oldest version with long-term support.
 */
import { Agent } from 'node:https';
import { ClickHouseLogLevel, createClient } from '@clickhouse/client';
import { MandateError, type TlsFiles } from '@mandate/runtime';
import { z } from 'zod';
import { overClickHouse, type Settings } from './clickhouse.ts';
import type { AuditClient } from './port.ts';
import { rowScope } from './row-scope.ts';

export type ServerAuditOptions = {
  /** The HTTP address of the server: `https://clickhouse:8443`. */
  url: string;
  username: string;
  password: string;
  /** Must exist. `migrate` creates the tables in it. */
  database: string;
  /** A statement fails if its whole answer takes longer. Default 30,000. */
  timeoutMs?: number;
  /** True to compress bodies with gzip. Default true. Not worth the time if the server runs on this machine. */
  compress?: boolean;
  /**
   * For https: the authorities to trust instead of the usual ones, and a client certificate if the server asks for
   * one.
   */
  tls?: TlsFiles;
};

const OLDEST = { major: 26, minor: 3 };

/**
 * A server closes a socket that was idle for its keep_alive_timeout (10 s by default, 3 s before 23.11). A request
 * that was just sent on this socket is lost with ECONNRESET. So the client closes idle sockets before that.
 */
const KEEP_ALIVE = { enabled: true, idle_socket_ttl: 2_000, eagerly_destroy_stale_sockets: true };

/**
 * At most this many sockets. The recorder and the query service run few statements at a time. More statements wait in
 * this process and not in the server.
 */
const SOCKETS = 10;

/**
 * Makes the HTTP status reliable: it is sent when the statement is over, whatever the profile of the user says. With
 * progress headers or a streamed answer, 200 would be sent before the result is known. Until the end, an answer is
 * held in this much memory, and the rest of it on the server's disk. If that disk is full, the server (26.7) sends
 * 200 with the part that fits, which is nothing without such memory. `mustBeWhole` detects that.
 */
const EVERY_STATEMENT: Settings = {
  send_progress_in_http_headers: 0,
  wait_end_of_query: 1,
  buffer_size: 8 * 1024 * 1024,
};

/** A query changes nothing, not even settings, and ends when its caller no longer waits. */
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
    // The driver would write parameters, and so what agents did, to the console. Failures are thrown instead, with a
    // remedy.
    log: { level: ClickHouseLogLevel.OFF },
    ...(tls !== undefined && { http_agent: agentWith(tls) }),
  });
  const audit = overClickHouse(client, {
    settingsIn: 'call',
    // ClickHouse stops before this client does, so that the error is ClickHouse's own.
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
 * Replaces the TLS options of the driver. The driver sends the password unencoded in a header, where most characters
 * are refused. With a client certificate it also asks the server to identify the user by the certificate instead of
 * by the password.
 */
function agentWith(tls: TlsFiles): Agent {
  return new Agent({ ...tls, keepAlive: KEEP_ALIVE.enabled, maxSockets: SOCKETS });
}
