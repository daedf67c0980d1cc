/**
 * Records a history in batches, as several recorders would: each batch once or twice, in any order, and several at a
 * time.
 */
import type { History } from '../arbitrary-history.ts';
import { type AuditClient, recordControlEvents, recordDecisions, recordSettlements } from '../index.ts';

export async function recordShuffled(
  audit: AuditClient,
  { decisions, settlements, adjustments }: History,
  cuts: readonly number[],
): Promise<void> {
  const work: (() => Promise<unknown>)[] = [];
  const cut = <R>(all: readonly R[], give: (batch: readonly R[]) => Promise<unknown>) => {
    for (let start = 0, turn = 0; start < all.length; turn += 1) {
      const size = cuts[turn % cuts.length] ?? 1;
      const batch = all.slice(start, start + size);
      for (let times = 1 + (size % 2); times > 0; times -= 1) work.push(() => give(batch));
      start += size;
    }
  };
  cut(settlements, (batch) => recordSettlements(audit, batch));
  cut(adjustments, (batch) => recordControlEvents(audit, batch));
  cut(decisions, (batch) => recordDecisions(audit, batch));
  work.sort(() => (cuts[0] ?? 1) - 9);
  while (work.length > 0) await Promise.all(work.splice(0, cuts[0] ?? 1).map((give) => give()));
}
