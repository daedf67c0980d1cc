/** Counts the decided and allowed actions of a log that is too long to keep in memory. */
import type { Bus } from '@mandate/bus';
import { type Decision, type DecisionsRecord, standsForAction, TOPICS } from '@mandate/schemas';
import { onTestFinished } from 'vitest';
import { readEpochs } from '../support/follow-log.ts';
import { numberOf } from './population.ts';

export type FollowedDecided = {
  /** Returns how many actions have a valid decision. */
  decided(): number;
  /** The number of actions by the code of their first decision. */
  codes: ReadonlyMap<string, number>;
  isDecided(action: number): boolean;
  /** Returns how many decisions a newer epoch made void. */
  voids(): number;
  /** The ids of the epochs on the log, those of all rebuilds included. */
  epochs: ReadonlySet<string>;
};

/** Follows the log until the end of the test. Calls `onAllowed` once for each action that may be carried out. */
export async function followDecided(
  bus: Bus,
  onAllowed: (decision: Decision) => void,
): Promise<FollowedDecided> {
  const inForce = readEpochs();
  const epochs = new Set<string>();
  const codes = new Map<string, number>();
  let known = new Uint8Array(1 << 16);
  let [decided, voids] = [0, 0];

  function note(decision: Decision): void {
    const action = numberOf(decision);
    if (action >= known.length) {
      const more = new Uint8Array(Math.max(action + 1, 2 * known.length));
      more.set(known);
      known = more;
    }
    if (!standsForAction(decision.kind) || known[action] === 1) return;
    known[action] = 1;
    decided += 1;
    codes.set(decision.code, (codes.get(decision.code) ?? 0) + 1);
    if (decision.verdict === 'ALLOW') onAllowed(decision);
  }

  const reader = await bus.read({
    topics: [TOPICS.decisions],
    from: 'earliest',
    onRecords(records) {
      for (const { position, value } of records) {
        // Parses without validation, because the checker validates the records later.
        const record = JSON.parse(Buffer.from(value).toString()) as DecisionsRecord;
        if (record.event === 'ledger.epoch') {
          inForce.begin(position.partition, record.epoch);
          epochs.add(record.epoch.id);
        } else if (record.event === 'action.decided') {
          if (inForce.isVoid(position.partition, record.decision.ledgerEpoch)) voids += 1;
          else note(record.decision);
        }
      }
    },
  });
  let failure: { error: unknown } | undefined;
  reader.finished.catch((error: unknown) => {
    failure = { error };
  });
  onTestFinished(() => reader.stop());
  return {
    decided() {
      if (failure !== undefined) throw failure.error;
      return decided;
    },
    codes,
    isDecided: (action) => known[action] === 1,
    voids: () => voids,
    epochs,
  };
}
