/**
 * Measures the memory of a million allowed actions that are not settled yet: remembered, reserved, with running
 * leases.
 */
import { createMemoryLedger } from '@mandate/ledger';
import { systemClock } from '@mandate/runtime';
import { stated } from '../measure/compare.ts';
import type { Row } from '../row.ts';
import { mandateDocument, mandateOf } from '../workload/mandate.ts';
import { stepRequests } from '../workload/step-requests.ts';

const ACTIONS = 1_000_000;
const BATCH = 500;

export async function ledgerMemory(): Promise<Row[]> {
  const mandate = mandateOf(mandateDocument({ globs: 10 }));
  const ledger = createMemoryLedger({ clock: systemClock, epoch: 'ep_bench' });
  const before = heapUsed();
  for (let done = 0; done < ACTIONS; done += BATCH) {
    const batch = stepRequests(BATCH, mandate);
    for (const result of await ledger.step(batch)) {
      const allowed = result.kind === 'decided' && result.facts.leaseExpiresAtMs !== null;
      if (!allowed) throw new Error('a million actions must be allowed');
    }
    await ledger.confirm(ledger.epoch, batch);
  }
  const bytes = heapUsed() - before;
  await ledger.close();
  return [
    stated('memory of 1,000,000 live actions', 'MB', [bytes / 1e6]),
    stated('memory of one live action', 'B', [bytes / ACTIONS]),
  ];
}

function heapUsed(): number {
  globalThis.gc?.();
  return process.memoryUsage().heapUsed;
}
