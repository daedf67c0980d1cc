/** The trace span of one step of the ledger. All records of a batch share this span. */
import type { Ledger } from '@mandate/ledger';
import type { SpanOptions } from '@mandate/runtime';

export function ledgerStep({ system }: Pick<Ledger, 'system'>, operations: number): SpanOptions {
  return {
    kind: 'client',
    attributes: {
      'db.system.name': system,
      'db.operation.name': 'step',
      'db.operation.batch.size': operations,
    },
  };
}
