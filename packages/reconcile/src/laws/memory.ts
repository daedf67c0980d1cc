/**
 * Determines how long a plane remembers ids, from the epochs on its log. All checks of one record use the same value.
 */
import { DEFAULTS, type DecisionsRecord, replayMemoryAfter } from '@mandate/schemas';

export type Memory = { readonly ms: number };

export function createMemory(): Memory & { takes(record: DecisionsRecord): void } {
  let known: number | null = null;
  return {
    get ms() {
      return known ?? DEFAULTS.replayMemoryMs;
    },
    takes(record) {
      if (record.event === 'ledger.epoch') known = replayMemoryAfter(known, record.epoch);
    },
  };
}
