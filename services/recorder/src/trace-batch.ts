/**
 * The traces of a record until it is in the tables. A span lasts from the arrival of a batch to the commit of its
 * offset. Its parent is the span that appended the record. Its child is `insert`, which inserts the records of
 * several batches at once.
 *
 * The recorder begins no traces. A record without a trace comes from a process without traces, or from an operator.
 */
import type { Batch, Bus } from '@mandate/bus';
import { consumed, type Span, type SpanOptions, type Tracer } from '@mandate/runtime';
import { traceparentOf } from '@mandate/schemas';
import type { RowBatch } from './row-batch.ts';

/** The parts for traces. Null if there are no traces. */
export type Tracing = { tracer: Tracer; system: Bus['system']; group: string } | null;

/** Begins a span for every record that belongs to a trace. */
export function beginSpans(tracing: Tracing, { topic, records }: Batch): readonly Span[] {
  if (tracing === null) return [];
  const { tracer, system, group } = tracing;
  return records.flatMap(({ headers, position }) => {
    const parent = traceparentOf(headers);
    if (parent === null) return [];
    return [tracer.begin(`process ${topic}`, parent, consumed(system, group, position, records.length))];
  });
}

export function insertOf(rowBatches: readonly RowBatch[]): SpanOptions {
  const records = rowBatches
    .flatMap((rowBatch) => Object.values(rowBatch))
    .reduce((sum, { length }) => sum + length, 0);
  return {
    kind: 'client',
    attributes: {
      'db.system.name': 'clickhouse',
      'db.operation.name': 'INSERT',
      'db.operation.batch.size': records,
    },
  };
}
