/** For how long a plane remembers ids, by the epochs that its log names: the same for all that is asked of one record. */
import { DEFAULTS, type DecisionsRecord, replayMemoryBehind } from '@mandate/schemas';

export type Memory = { readonly ms: number };

export function createMemory(): Memory & { takes(record: DecisionsRecord): void } {
  let known: number | null = null;
  return {
    get ms() {
      return known ?? DEFAULTS.replayMemoryMs;
    },
    takes(record) {
      if (record.event === 'ledger.epoch') known = replayMemoryBehind(known, record.epoch);
    },
  };
}
