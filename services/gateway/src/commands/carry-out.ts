import type { Ledger } from '@mandate/ledger';
import { isMandateError } from '@mandate/runtime';

/** The maximum number of tries of one command. If the ledger is rebuilt during each try, the command fails. */
const MOST_TRIES = 5;

/**
 * Carries out an operator's order in the ledger, and then writes its event to the log. If the ledger is rebuilt
 * between these two steps, the new ledger does not know the order. So the order is carried out again with the same
 * id. A ledger that knows the id ignores the repeat.
 *
 * @param order carries out the order; repeats with the same id have no effect
 * @param record writes the event to the log; returns whether the log contains it
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
