/** Measures from time to time what batches do not show: the lag of the group, and the ledger epoch in force. */
import type { Consumer } from '@mandate/bus';
import type { Ledger } from '@mandate/ledger';
import { type Logger, poll } from '@mandate/runtime';
import type { DeciderMeasures } from './measures.ts';

export type Watched = {
  consumer: Pick<Consumer, 'lag'>;
  ledger: Pick<Ledger, 'epoch'>;
  log: Logger;
  /** How often to measure, in milliseconds. Default 1,000. */
  everyMs?: number;
};

/** Measures at once, and then repeatedly until it is stopped. */
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
