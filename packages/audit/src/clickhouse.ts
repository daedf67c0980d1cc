/**
 * The port over `@clickhouse/client`, whatever connection that client has. Settings stand in the SQL text and never
 * in the call: over chdb a call's settings would stay with the session and change later calls.
 */
import { setImmediate as turn } from 'node:timers/promises';
import type { ClickHouseClient } from '@clickhouse/client';
import { MandateError } from '@mandate/runtime';
import type { z } from 'zod';
import { insertFailed, unavailable } from './clickhouse-error.ts';
import type { AuditClient, BoundParams } from './port.ts';

/**
 * Rows and characters in one INSERT, at most. An insert costs ClickHouse about the same for 500 rows
 * as for 2,000 (40 and 50 ms were measured), so large ones are worth their memory.
 */
const INSERT_ROWS = 2_000;
const INSERT_CHARACTERS = 4 * 1024 * 1024;

/**
 * Turning rows into text is the only part that holds up the event loop (the engine works on threads of its own):
 * after so many everyone else gets a turn.
 */
const ROWS_A_TURN = 100;

/**
 * Inserts are synchronous (chdb's default is to gather them), and a field that no column takes is an error
 * instead of a silent loss.
 */
const INSERT_SETTINGS =
  "async_insert = 0, input_format_skip_unknown_fields = 0, date_time_input_format = 'best_effort'";

/** Integers unquoted: one that JavaScript could not hold is refused by the row's schema, never rounded. */
const QUERY_SETTINGS =
  "output_format_json_quote_64bit_integers = 0, date_time_output_format = 'iso', max_execution_time = 30";

export function overClickHouse(client: ClickHouseClient): AuditClient {
  const run = async (doing: string, sql: string): Promise<void> => {
    await client.command({ query: sql }).catch((cause: unknown) => {
      throw unavailable(doing, cause);
    });
  };

  return {
    async insert(table, rows) {
      for await (const lines of chunks(rows)) {
        const query = `INSERT INTO ${table} SETTINGS ${INSERT_SETTINGS} FORMAT JSONEachRow\n${lines}`;
        await client.command({ query }).catch((cause: unknown) => {
          throw insertFailed(table, cause);
        });
      }
    },

    async query<Row extends z.ZodType>(sql: string, params: BoundParams, row: Row) {
      const answer = await client
        .query({
          query: `${sql}\nSETTINGS ${QUERY_SETTINGS}`,
          query_params: { ...params },
          format: 'JSONEachRow',
        })
        .then((result) => result.json())
        .catch((cause: unknown) => {
          throw unavailable('answer', cause);
        });
      return answer.map((each) => expected(row, each));
    },

    command: (sql) => run('run a statement', sql),
    ping: () => run('answer', 'SELECT 1'),
    close: () => client.close(),
  };
}

/** Rows as JSON lines, cut into texts that one INSERT takes. */
async function* chunks(rows: readonly object[]): AsyncGenerator<string> {
  let lines: string[] = [];
  let characters = 0;
  for (const [index, row] of rows.entries()) {
    if (index % ROWS_A_TURN === ROWS_A_TURN - 1) await turn();
    const line = JSON.stringify(row);
    if (lines.length === INSERT_ROWS || (lines.length > 0 && characters + line.length > INSERT_CHARACTERS)) {
      yield lines.join('\n');
      lines = [];
      characters = 0;
    }
    lines.push(line);
    characters += line.length;
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
