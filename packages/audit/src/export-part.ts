/** Exports a part of a table as the bytes of a file. */
import type { Readable } from 'node:stream';
import type { AuditClient, BoundParams, FileFormat } from './port.ts';
import { EXPORTS, type Exportable, type ExportFormat } from './queries/export.ts';
import type { Asked } from './question.ts';

/**
 * Returns the rows of a part, in the order of their ids.
 *
 * NDJSON: one object a line. CSV: RFC 4180, with column names in the first line if `named` is set. An empty cell
 * means null. A text that a spreadsheet would take for a formula gets an apostrophe in front. Such a text begins with
 * = + - @ (or their full-width forms), a tab or a line break. Parquet: a whole file. In all formats amounts are
 * integers of micro-dollars.
 *
 * @throws MandateError as `AuditClient.file`
 */
export function exportPart(
  client: AuditClient,
  of: Exportable,
  asked: Asked,
  { format, named = true }: { format: ExportFormat; named?: boolean },
  givenUp?: AbortSignal,
): Promise<Readable> {
  const { params, sql } = EXPORTS[of];
  const read = params.parse(asked);
  const bound: Record<string, BoundParams[string]> = {};
  for (const [name, value] of Object.entries(read)) if (value !== undefined) bound[name] = value;
  return client.file(sql(read, format), bound, fileFormat(format, named), givenUp);
}

function fileFormat(format: ExportFormat, named: boolean): FileFormat {
  if (format === 'ndjson') return 'JSONEachRow';
  if (format === 'parquet') return 'Parquet';
  return named ? 'CSVWithNames' : 'CSV';
}
