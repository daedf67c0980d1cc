/**
 * The port over `@clickhouse/client`, whatever connection that client has. Every statement says itself how it is to be
 * run: what a server's or a user's profile has set instead (gathered inserts, integers as text, headers that claim
 * success before there is any) never decides whether a row is lost.
 */
import type { ClickHouseClient } from '@clickhouse/client';
import { MandateError, turns } from '@mandate/runtime';
import type { z } from 'zod';
import { failed, insertFailed, mustBeWhole } from './clickhouse-error.ts';
import type { AuditClient, BoundParams } from './port.ts';

/**
 * Rows and bytes in one INSERT, at most. An insert costs ClickHouse about the same for 500 rows
 * as for 2,000 (40 and 50 ms were measured), so large ones are worth their memory.
 */
export const INSERT_ROWS = 2_000;
export const INSERT_BYTES = 4 * 1024 * 1024;

/** Rows become text, and answers become rows, on the event loop; the engine works on threads of its own. */
const LANE = ['audit'];

export type Settings = Readonly<Record<string, string | number>>;

/**
 * Inserts are synchronous (to gather them is the default of chdb and of servers alike), a field that no column takes
 * is an error instead of a silent loss, and a batch may reach over however many months: each is a partition.
 *
 * Where tables drop repeated inserts (replicated ones do by default), that stays as it is: only an insert of the very same rows
 * is dropped, and what is repeated collapses anyway.
 */
const INSERT_SETTINGS: Settings = {
  async_insert: 0,
  input_format_skip_unknown_fields: 0,
  date_time_input_format: 'best_effort',
  max_partitions_per_insert_block: 0,
};

/** Integers unquoted: one that JavaScript could not hold is refused by the row's schema, never rounded. */
const QUERY_SETTINGS: Settings = {
  output_format_json_quote_64bit_integers: 0,
  date_time_output_format: 'iso',
  max_execution_time: 30,
};

/** CSV as RFC 4180 has it; groups of rows that are read one at a time. */
const FILE_SETTINGS: Settings = {
  output_format_csv_crlf_end_of_line: 1,
  format_csv_null_representation: '',
  output_format_parquet_row_group_size: 50_000,
};

/** How statements reach ClickHouse, where it is a server and where it is a library. */
export type Conveyance = {
  /**
   * `text`: as a SETTINGS clause, because over chdb a call's settings would stay with the session and change later calls.
   * `call`: beside the text, where the text cannot take them back.
   */
  settingsIn: 'text' | 'call';
  /** Settings of queries beyond those that every ClickHouse needs. */
  querySettings?: Settings;
  /** Headers of a query, from its parameters. */
  headersOf?: (params: BoundParams) => Readonly<Record<string, string>>;
  /** After so long without a whole answer a statement has failed; without it, ClickHouse alone decides. */
  timeoutMs?: number;
};

export function overClickHouse(client: ClickHouseClient, conveyance: Conveyance): AuditClient {
  const { settingsIn, querySettings = {}, headersOf = () => ({}), timeoutMs } = conveyance;
  const running = new Set<Promise<unknown>>();
  let isClosed = false;

  /** Sends unless it is closed, and waits for no longer than `timeoutMs`, nor when it is given up. */
  async function sent<T>(
    send: (bound: { abort_signal: AbortSignal }) => Promise<T>,
    givenUp?: AbortSignal,
  ): Promise<T> {
    if (isClosed) throw new Error('this client was closed');
    // The driver hears only of what is given up later.
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

function placed(settings: Settings, settingsIn: Conveyance['settingsIn']) {
  if (settingsIn === 'call') return { clause: '', beside: { clickhouse_settings: { ...settings } } };
  const written = Object.entries(settings).map(
    ([name, value]) => `${name} = ${typeof value === 'number' ? value : `'${value}'`}`,
  );
  return { clause: `\nSETTINGS ${written.join(', ')}`, beside: {} };
}

/** Rows as JSON lines, cut into texts that one INSERT takes. */
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
