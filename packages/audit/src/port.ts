/** What the rest of the house may ask of ClickHouse, wherever it runs: over HTTP, or inside this process. */
import type { Readable } from 'node:stream';
import type { z } from 'zod';

/** Values for the `{name:Type}` placeholders of a statement; the driver binds them, nothing is pasted into SQL. */
export type BoundParams = Readonly<
  Record<string, string | number | boolean | null | readonly string[] | readonly number[]>
>;

export type FileFormat = 'JSONEachRow' | 'CSV' | 'CSVWithNames' | 'Parquet';

export interface AuditClient {
  /**
   * Writes rows, keys being column names. Resolves when they are stored; a large list goes in several inserts, so
   * after an error some rows may be stored and others not. Repeat the whole list then: every table collapses repeats.
   *
   * @throws MandateError AUDIT_ROW_REFUSED when ClickHouse cannot take a row of the list (not retryable), and for
   *   anything else AUDIT_UNAVAILABLE, AUDIT_ACCESS_DENIED or AUDIT_DATABASE_MISSING (retryable: each may pass)
   */
  insert(table: string, rows: readonly object[]): Promise<void>;
  /**
   * Asks, and checks every row of the answer. 64-bit integers arrive as safe integers or not at all.
   * Times arrive as RFC 3339 UTC. The statement must not have a SETTINGS clause of its own.
   *
   * `givenUp`: the caller no longer waits. A server ends the statement; an embedded ClickHouse cannot, and runs it to its
   * end.
   *
   * @throws MandateError AUDIT_ANSWER_UNEXPECTED when a row does not fit `row`; otherwise as `insert`, refusals aside
   */
  query<Row extends z.ZodType>(
    sql: string,
    params: BoundParams,
    row: Row,
    givenUp?: AbortSignal,
  ): Promise<z.output<Row>[]>;
  /**
   * Asks, for the bytes of the answer in a format of ClickHouse. Resolves when ClickHouse has made all of them, on a server
   * on its disk, so that nothing fails half way but the connection; an embedded one has them in memory: ask for parts.
   * Otherwise as `query`.
   */
  file(sql: string, params: BoundParams, format: FileFormat, givenUp?: AbortSignal): Promise<Readable>;
  /** Runs a statement that answers nothing. Never a user's SQL: an embedded ClickHouse reads and writes files. */
  command(sql: string, params?: BoundParams): Promise<void>;
  /** Resolves when ClickHouse answers now; throws as `query` otherwise. For readiness. */
  ping(): Promise<void>;
  /** Waits for what runs, then lets go of the data. */
  close(): Promise<void>;
}
