import type { Metrics } from '@mandate/server';
import type { InsertedRows } from './row-batch.ts';

export type RecorderMeasures = ReturnType<typeof recorderMeasures>;

/**
 * The recorder's metrics. Each label has a limited number of values: `table` and `code` are closed sets, and
 * partitions are few.
 */
export function recorderMeasures(metrics: Metrics) {
  return {
    lag: metrics.gauge({
      name: 'mandate_recorder_lag_records',
      help: 'Records on the log that are not yet recorded',
      labels: ['topic', 'partition'],
    }),
    rows: metrics.counter({
      name: 'mandate_recorder_rows_total',
      help: 'Rows inserted, repeats among them, by table',
      labels: ['table'],
    }),
    waits: metrics.counter({
      name: 'mandate_recorder_waits_total',
      help: 'Times that a partition waited for ClickHouse or the log, by error code',
      labels: ['code'],
    }),
    rollupHours: metrics.gauge({
      name: 'mandate_recorder_rollup_hours',
      help: 'Hours with rows that are not added up yet, so that questions read the rows',
    }),
    rollupSeconds: metrics.gauge({
      name: 'mandate_recorder_rollup_seconds',
      help: 'Time since the newest row of the hour that has waited longest to be added up',
    }),
    pastRecords: metrics.counter({
      name: 'mandate_recorder_past_records_total',
      help: "Records of the log that were not recorded, as they are past their tenant's retention, by table",
      labels: ['table'],
    }),
    pastRows: metrics.gauge({
      name: 'mandate_recorder_past_rows',
      help: "Rows that were found past their tenant's retention, and are not dropped yet",
    }),
    droppedRows: metrics.counter({
      name: 'mandate_recorder_dropped_rows_total',
      help: "Rows that were dropped, as they were past their tenant's retention, by table",
      labels: ['table'],
    }),
    flushSeconds: metrics.histogram({
      name: 'mandate_recorder_flush_seconds',
      help: 'The time from a complete batch to the acknowledgement by ClickHouse',
    }),
  };
}

export function countInserted(
  { rows }: RecorderMeasures,
  { unreadable, controlEvents, ...others }: InsertedRows,
): number {
  const tables = {
    decisions: others.decisions,
    settlements: others.settlements,
    control_events: controlEvents,
    dead_letters: others.deadLetters,
    republications: others.republications,
    audit_reads: others.auditReads,
    sdk_records: others.sdkRecords,
    context_builds: others.contextBuilds,
  };
  let quarantined = unreadable;
  for (const [table, counts] of Object.entries(tables)) {
    rows.inc({ table }, counts.inserted);
    quarantined += counts.quarantined;
  }
  rows.inc({ table: 'quarantine' }, quarantined);
  return quarantined;
}
