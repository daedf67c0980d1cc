/** Looks every so often at what no batch tells: how far the group is behind, and which epoch of the ledger is in force. */
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

/** Looks at once, and then until stopped. */
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
