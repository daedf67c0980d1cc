import type { Ledger } from '@mandate/ledger';
import { isMandateError } from '@mandate/runtime';

/** A ledger that is rebuilt more often than this while one command is carried out is not there at all. */
const MOST_TRIES = 5;

/**
 * What an operator orders is in the ledger first, and on the log a moment later. A ledger that is rebuilt between the two
 * comes from a log that did not have the event yet: so the order is carried out there again, under the same id, which
 * does nothing where it is known.
 *
 * @param order carries it out, as often as it is called under one id once
 * @param record writes the event to the log; returns whether it is there
 */
export async function carryOut<Receipt>(
  ledger: Pick<Ledger, 'epoch' | 'confirm'>,
  order: () => Promise<Receipt>,
  record: (receipt: Receipt) => Promise<boolean>,
): Promise<{ receipt: Receipt; logged: boolean }> {
  for (let tries = 1; ; tries += 1) {
    const { epoch } = ledger;
    const receipt = await order();
    const logged = await record(receipt);
    try {
      await ledger.confirm(epoch, []);
      return { receipt, logged };
    } catch (error) {
      if (!isMandateError(error, 'LEDGER_EPOCH_CHANGED') || tries === MOST_TRIES) throw error;
    }
  }
}
