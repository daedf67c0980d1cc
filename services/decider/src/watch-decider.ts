/** Measures from time to time what no batch shows: the group's lag, and the epoch of the ledger in force. */
import type { Consumer } from '@mandate/bus';
import type { Ledger } from '@mandate/ledger';
import { type Logger, poll } from '@mandate/runtime';
import type { DeciderMeasures } from './measures.ts';

export type Watched = {
  consumer: Pick<Consumer, 'lag'>;
  ledger: Pick<Ledger, 'epoch'>;
  log: Logger;
  /** Default 1,000. */
  everyMs?: number;
};

/** Measures at once, and then again until it is stopped. */
export function watchDecider(
  { consumer, ledger, log, everyMs = 1_000 }: Watched,
  { lag, epochs }: DeciderMeasures,
): { stop(): void } {
  let known = '';
  const look = async () => {
    const { epoch } = ledger;
    if (epoch !== '' && epoch !== known) {
      known = epoch;
      epochs.inc();
    }
    for (const { topic, partition, lag: records } of await consumer.lag()) {
      lag.set({ topic, partition: String(partition) }, records);
    }
  };
  return poll(everyMs, look, (err) => log.warn({ err }, 'the lag is not known'));
}
