/**
 * Implements `AuditClient` with `@clickhouse/client`, over any connection of that client. Every statement has its own
 * settings. So the settings of a server or a user profile cannot cause the loss of a row.
 */
import type { ClickHouseClient } from '@clickhouse/client';
import { MandateError, turns } from '@mandate/runtime';
import type { z } from 'zod';
import { failed, insertFailed, mustBeWhole } from './clickhouse-error.ts';
import type { AuditClient, BoundParams } from './port.ts';

/**
 * At most this many rows and bytes in one INSERT. An insert of 500 rows and one of 2,000 cost ClickHouse about the
 * same (40 and 50 ms were measured), so large inserts are worth their memory.
 */
export const INSERT_ROWS = 2_000;
export const INSERT_BYTES = 4 * 1024 * 1024;

/**
 * The lane for converting rows to text and back, which runs on the event loop. ClickHouse itself works on its own
 * threads.
 */
const LANE = ['audit'];

export type Settings = Readonly<Record<string, string | number>>;

/**
 * Inserts are synchronous, because asynchronous inserts are the default of chdb and of servers. A field without a
 * column is an error instead of a silent loss. A batch may contain rows of any number of months, and each month is a
 * partition.
 *
 * Replicated tables drop repeated inserts by default. That stays as it is: only an insert of exactly the same rows is
 * dropped, and repeated rows collapse anyway.
 */
const INSERT_SETTINGS: Settings = {
  async_insert: 0,
  input_format_skip_unknown_fields: 0,
  date_time_input_format: 'best_effort',
  max_partitions_per_insert_block: 0,
};

/**
 * Integers are not quoted. The schema of the row rejects an integer that JavaScript cannot hold, so none is rounded.
 */
const QUERY_SETTINGS: Settings = {
  output_format_json_quote_64bit_integers: 0,
  date_time_output_format: 'iso',
  max_execution_time: 30,
};

/** CSV as in RFC 4180, and Parquet row groups that can be read one at a time. */
const FILE_SETTINGS: Settings = {
  output_format_csv_crlf_end_of_line: 1,
  format_csv_null_representation: '',
  output_format_parquet_row_group_size: 50_000,
};

/** The way in which statements reach ClickHouse: over a server, or in the embedded library. */
export type Transport = {
  /**
   * `text`: settings go into a SETTINGS clause, because chdb would keep the settings of a call for the whole session.
   * `call`: settings are sent beside the statement, so that its text cannot change them.
   */
  settingsIn: 'text' | 'call';
  /** Settings of queries for this transport, in addition to the settings for every ClickHouse. */
  querySettings?: Settings;
  /** Returns the headers of a query, made from its parameters. */
  headersOf?: (params: BoundParams) => Readonly<Record<string, string>>;
  /**
   * Milliseconds. A statement fails if its whole answer takes longer. If this is absent, only ClickHouse limits the
   * time.
   */
  timeoutMs?: number;
};

export function overClickHouse(client: ClickHouseClient, transport: Transport): AuditClient {
  const { settingsIn, querySettings = {}, headersOf = () => ({}), timeoutMs } = transport;
  const running = new Set<Promise<unknown>>();
  let isClosed = false;

  /** Sends a statement unless the client is closed. Stops waiting after `timeoutMs`, or when the caller aborts. */
  async function sent<T>(
    send: (bound: { abort_signal: AbortSignal }) => Promise<T>,
    givenUp?: AbortSignal,
  ): Promise<T> {
    if (isClosed) throw new Error('this client was closed');
    // The driver does not notice a signal that is already aborted, so check it here.
    givenUp?.throwIfAborted();
    const aborting = new AbortController();
    const late = Promise.withResolvers<never>();
    const stop = (why: unknown) => {
      late.reject(why);
      aborting.abort();
    };
    const timer =
      timeoutMs === undefined
        ? undefined
        : setTimeout(() => stop(new Error(`no answer within ${timeoutMs} ms`)), timeoutMs);
    const onGivenUp = () => stop(givenUp?.reason);
    givenUp?.addEventListener('abort', onGivenUp);
    const answer = Promise.race([send({ abort_signal: aborting.signal }), late.promise]);
    running.add(answer);
    try {
      return await answer;
    } finally {
      clearTimeout(timer);
      givenUp?.removeEventListener('abort', onGivenUp);
      running.delete(answer);
    }
  }

  async function run(doing: string, query: string, params: BoundParams = {}): Promise<void> {
    await sent((bound) => client.command({ query, query_params: { ...params }, ...bound })).catch(
      (cause: unknown) => {
        throw failed(doing, cause);
      },
    );
  }

  return {
    async insert(table, rows) {
      const { clause, beside } = placed(INSERT_SETTINGS, settingsIn);
      for await (const lines of chunks(rows)) {
        const query = `INSERT INTO ${table}${clause} FORMAT JSONEachRow\n${lines}`;
        await sent((bound) => client.command({ query, ...beside, ...bound })).catch((cause: unknown) => {
          throw insertFailed(table, cause);
        });
      }
    },

    async query<Row extends z.ZodType>(sql: string, params: BoundParams, row: Row, givenUp?: AbortSignal) {
      const { clause, beside } = placed({ ...QUERY_SETTINGS, ...querySettings }, settingsIn);
      const asked = {
        query: `${sql}${clause}`,
        query_params: { ...params },
        format: 'JSONEachRow',
        http_headers: { ...headersOf(params) },
        ...beside,
      } as const;
      const answer = await sent(async (bound) => {
        const result = await client.query({ ...asked, ...bound });
        bound.abort_signal.addEventListener('abort', () => result.close());
        const rows = await result.json();
        return { rows, summary: result.response_headers['x-clickhouse-summary'] };
      }, givenUp).catch((cause: unknown) => {
        throw failed('answer', cause);
      });
      mustBeWhole(answer.rows.length, answer.summary);
      const rows: z.output<typeof row>[] = [];
      for (const each of answer.rows) {
        if (turns.isOver()) await turns.next(LANE);
        rows.push(expected(row, each));
      }
      return rows;
    },

    async file(sql, params, format, givenUp) {
      const { clause, beside } = placed(
        { ...QUERY_SETTINGS, ...FILE_SETTINGS, ...querySettings },
        settingsIn,
      );
      const asked = {
        query: `${sql}${clause}\nFORMAT ${format}`,
        query_params: { ...params },
        http_headers: { ...headersOf(params) },
        ...beside,
      };
      const { stream } = await sent((bound) => client.exec({ ...asked, ...bound }), givenUp).catch(
        (cause: unknown) => {
          throw failed('answer', cause);
        },
      );
      givenUp?.addEventListener('abort', () => stream.destroy());
      return stream;
    },

    command: (sql, params) => run('run a statement', sql, params),
    ping: () => run('answer', 'SELECT 1'),
    async close() {
      isClosed = true;
      await Promise.allSettled(running);
      await client.close();
    },
  };
}

function placed(settings: Settings, settingsIn: Transport['settingsIn']) {
  if (settingsIn === 'call') return { clause: '', beside: { clickhouse_settings: { ...settings } } };
  const written = Object.entries(settings).map(
    ([name, value]) => `${name} = ${typeof value === 'number' ? value : `'${value}'`}`,
  );
  return { clause: `\nSETTINGS ${written.join(', ')}`, beside: {} };
}

/** Writes rows as JSON lines, cut into texts of the size of one INSERT. */
async function* chunks(rows: readonly object[]): AsyncGenerator<string> {
  let lines: string[] = [];
  let bytes = 0;
  for (const row of rows) {
    if (turns.isOver()) await turns.next(LANE);
    const line = JSON.stringify(row);
    const lineBytes = Buffer.byteLength(line) + 1;
    if (lines.length === INSERT_ROWS || (lines.length > 0 && bytes + lineBytes > INSERT_BYTES)) {
      yield lines.join('\n');
      lines = [];
      bytes = 0;
    }
    lines.push(line);
    bytes += lineBytes;
  }
  if (lines.length > 0) yield lines.join('\n');
}

function expected<Row extends z.ZodType>(row: Row, value: unknown): z.output<Row> {
  const read = row.safeParse(value);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  const where = issue?.path.join('.') ?? '';
  throw new MandateError(
    'AUDIT_ANSWER_UNEXPECTED',
    `The audit answered an unexpected row: ${where}: ${issue?.message}`,
    {
      remedy:
        'A sum beyond 2^53-1 micro-dollars cannot be given exactly: ask for a shorter time. Otherwise report this.',
      cause: read.error,
    },
  );
}
