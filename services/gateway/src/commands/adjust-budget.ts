/** Adds to the spent amount of a budget, or of a limit in another unit, or gives back: in the ledger first, then on the log. */
import { adjustmentTooLarge, type BudgetReference, type Command, type Receipt } from '@mandate/ledger';
import { isMandateError } from '@mandate/runtime';
import { agentKey, wireTime } from '@mandate/schemas';
import { HttpProblem } from '@mandate/server';
import { type Gateway, ledgerOf } from '../gateway.ts';
import { carryOut } from './carry-out.ts';
import { notOnLog } from './not-on-log.ts';

/** `delta`: in the unit of the budget. */
export type BudgetAdjustment = { tenant: string; budget: BudgetReference; delta: number };

/**
 * Throws ADJUSTMENT_TOO_LARGE. Throws ADJUSTMENT_IN_FORCE_NOT_ON_LOG if the adjustment is done and only its record is
 * missing.
 */
export async function adjustBudget(
  gateway: Gateway,
  { tenant, budget, delta }: BudgetAdjustment,
  command: Command,
): Promise<Receipt & { spent: number }> {
  const ledger = ledgerOf(gateway);
  const { receipt, logged } = await carryOut(
    ledger,
    () => ledger.adjust({ ...command, tenant, budget, delta }).catch(rethrowForCaller),
    ({ atMs, spent, epoch, sequence }) =>
      gateway.journal.record({
        id: command.id,
        key: budget.scope === 'agent' ? agentKey(tenant, budget.subject) : tenant,
        event: {
          event: 'budget.adjusted',
          adjustment: {
            ...command,
            at: wireTime(atMs),
            tenant,
            budget,
            ...(budget.unit === undefined
              ? { deltaMicros: delta, spentMicros: spent }
              : { delta, used: spent }),
            ledgerEpoch: epoch,
            ledgerSequence: sequence,
          },
        },
      }),
  );
  gateway.log.warn({ tenant, budget, delta, command, logged }, 'budget adjusted');
  if (logged) return receipt;
  throw notOnLog('ADJUSTMENT_IN_FORCE_NOT_ON_LOG', 'the adjustment', { adjustment: receipt });
}

/** Returns what the budget has spent, now and after the adjustment. Throws ADJUSTMENT_TOO_LARGE. */
export async function tryAdjustment(
  gateway: Gateway,
  { tenant, budget, delta }: BudgetAdjustment,
): Promise<{ before: number; spent: number }> {
  const [before = 0] = await ledgerOf(gateway).spent(tenant, [budget]);
  const spent = before + delta;
  if (!Number.isSafeInteger(spent)) rethrowForCaller(adjustmentTooLarge());
  return { before, spent };
}

/**
 * Throws an error for the caller. If the amount is too large for a counter, the caller gets a 400. Any other error is
 * thrown unchanged.
 */
function rethrowForCaller(error: unknown): never {
  if (!isMandateError(error, 'ADJUSTMENT_TOO_LARGE')) throw error;
  throw new HttpProblem(400, error.code, error.message, { remedy: error.remedy, cause: error });
}
