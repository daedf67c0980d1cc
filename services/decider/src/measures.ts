import type { Ledger } from '@mandate/ledger';
import { boundedLabel, type Metrics } from '@mandate/server';

export type DeciderMeasures = ReturnType<typeof deciderMeasures>;

/**
 * The decider's metrics. Each label has a limited number of values: `verdict` and `code` are closed sets, partitions
 * are few, and only the first 100 tenants have their own label.
 */
export function deciderMeasures(metrics: Metrics) {
  const tenantLabel = boundedLabel();
  const writtenBytes = metrics.counter({
    name: 'mandate_decider_written_bytes_total',
    help: 'Bytes of decisions, settlements and dead letters written to the log, by tenant',
    labels: ['tenant'],
  });
  const writtenRecords = metrics.counter({
    name: 'mandate_decider_written_records_total',
    help: 'Decisions, settlements and dead letters written to the log, by tenant',
    labels: ['tenant'],
  });
  return {
    /** Counts one record of a tenant, and its bytes. */
    countWritten(tenant: string, bytes: number) {
      const labels = { tenant: tenantLabel(tenant) };
      writtenRecords.inc(labels);
      writtenBytes.inc(labels, bytes);
    },
    decisions: metrics.counter({
      name: 'mandate_decider_decisions_total',
      help: 'Decisions published, by verdict and code',
      labels: ['verdict', 'code'],
    }),
    settlements: metrics.counter({
      name: 'mandate_decider_settlements_total',
      help: 'Settlements published, by code',
      labels: ['code'],
    }),
    deadLetters: metrics.counter({
      name: 'mandate_decider_deadletters_total',
      help: 'Records that could not be read',
    }),
    waits: metrics.counter({
      name: 'mandate_decider_waits_total',
      help: 'Times that a partition waited for the ledger or the log, by error code',
      labels: ['code'],
    }),
    halts: metrics.counter({
      name: 'mandate_decider_halts_total',
      help: 'Times that a partition halted, by error code',
      labels: ['code'],
    }),
    seconds: metrics.histogram({
      name: 'mandate_decider_batch_seconds',
      help: 'The time from reading a batch to committing its offset',
    }),
    stepSeconds: metrics.histogram({
      name: 'mandate_decider_step_seconds',
      help: 'The time of one step of the ledger for a whole batch, successful or failed',
    }),
    epochs: metrics.counter({
      name: 'mandate_decider_ledger_epochs_total',
      help: 'Ledger epochs that began under this decider; each epoch after the first is a rebuild',
    }),
    ledgerUsed: metrics.gauge({
      name: 'mandate_decider_ledger_used_ratio',
      help: 'The used share of the room of the ledger: of the deliveries that a ledger in memory may remember, or of the maxmemory of Redis',
      labels: ['store'],
    }),
    tenantRemembered: metrics.gauge({
      name: 'mandate_decider_tenant_remembered_ratio',
      help: 'The share of its rememberedIds that a tenant has used, for the 50 fullest tenants that have used half',
      labels: ['tenant'],
    }),
    lag: metrics.gauge({
      name: 'mandate_decider_lag_records',
      help: 'Records on the log that are not yet decided, by any decider',
      labels: ['topic', 'partition'],
    }),
  };
}

/** Returns the same ledger, but the time of each step is measured. */
export function measuredSteps(ledger: Ledger, { stepSeconds }: DeciderMeasures): Ledger {
  const step: Ledger['step'] = async (batch) => {
    const stopTimer = stepSeconds.startTimer();
    try {
      return await ledger.step(batch);
    } finally {
      stopTimer();
    }
  };
  // The prototype is the ledger itself, so all other fields stay current, even the epoch after a change.
  return Object.assign(Object.create(ledger) as Ledger, { step });
}
