/** The port of the audit: what other packages may ask of ClickHouse, either on a server or inside this process. */
import type { Readable } from 'node:stream';
import type { z } from 'zod';

/**
 * Values for the `{name:Type}` placeholders of a statement. The driver binds them, and no value is pasted into SQL.
 */
export type BoundParams = Readonly<
  Record<string, string | number | boolean | null | readonly string[] | readonly number[]>
>;

export type FileFormat = 'JSONEachRow' | 'CSV' | 'CSVWithNames' | 'Parquet';

export interface AuditClient {
  /**
   * Writes rows. Their keys are column names. Resolves when they are stored. A large list is sent in several inserts,
   * so after an error some rows may be stored and others not. Then repeat the whole list: every table collapses
   * repeats.
   *
   * @throws MandateError AUDIT_ROW_REFUSED if ClickHouse cannot take a row of the list (not retryable); for anything
   * else AUDIT_UNAVAILABLE, AUDIT_ACCESS_DENIED or AUDIT_DATABASE_MISSING (retryable: each may pass)
   */
  insert(table: string, rows: readonly object[]): Promise<void>;
  /**
   * Asks, and checks every row of the answer. A 64-bit integer that is not safe in JavaScript is an error. Times are
   * RFC 3339 in UTC. The statement must not have its own SETTINGS clause.
   *
   * `givenUp` aborts when the caller no longer waits. A server then ends the statement. The embedded ClickHouse
   * cannot, and runs it to its end.
   *
   * @throws MandateError AUDIT_ANSWER_UNEXPECTED if a row does not fit `row`; otherwise as `insert`, except
   * AUDIT_ROW_REFUSED
   */
  query<Row extends z.ZodType>(
    sql: string,
    params: BoundParams,
    row: Row,
    givenUp?: AbortSignal,
  ): Promise<z.output<Row>[]>;
  /**
   * Asks for the bytes of the answer in a file format of ClickHouse. Resolves when ClickHouse has made all bytes, so
   * after that only the connection can fail. A server keeps them on its disk. The embedded ClickHouse keeps them in
   * memory, so ask for parts. Otherwise as `query`.
   */
  file(sql: string, params: BoundParams, format: FileFormat, givenUp?: AbortSignal): Promise<Readable>;
  /**
   * Runs a statement without an answer. Never pass SQL of a user: an embedded ClickHouse can read and write files.
   */
  command(sql: string, params?: BoundParams): Promise<void>;
  /** Resolves if ClickHouse answers now, and throws as `query` otherwise. For readiness checks. */
  ping(): Promise<void>;
  /** Waits for running statements, then releases the data. */
  close(): Promise<void>;
}
