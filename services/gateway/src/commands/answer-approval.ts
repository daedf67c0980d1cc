/** A person's answer to a deferred action: a grant or a refusal in the ledger, for one exact request, for a while. */
import type { Command, Receipt } from '@mandate/ledger';
import { agentKey, wireTime } from '@mandate/schemas';
import { type Gateway, ledgerOf } from '../gateway.ts';
import { carryOut } from './carry-out.ts';
import { notOnLog } from './not-on-log.ts';

export type ApprovalAnswer = {
  tenant: string;
  agentId: string;
  actionId: string;
  digest: string;
  answer: 'granted' | 'denied';
  expiresInMs: number;
};

/** Throws APPROVAL_IN_FORCE_NOT_ON_LOG when only the log is missing. */
export async function answerApproval(
  gateway: Gateway,
  { expiresInMs, ...approval }: ApprovalAnswer,
  command: Command,
): Promise<Receipt & { expiresAt: string }> {
  const ledger = ledgerOf(gateway);
  const untilMs = gateway.clock() + expiresInMs;
  const { receipt: given, logged } = await carryOut(
    ledger,
    () => ledger.approve({ ...command, ...approval, expiresAtMs: untilMs }),
    ({ atMs, expiresAtMs, epoch, sequence }) =>
      gateway.journal.record({
        id: command.id,
        key: agentKey(approval.tenant, approval.agentId),
        event: {
          event: 'approval.recorded',
          approval: {
            ...command,
            ...approval,
            at: wireTime(atMs),
            expiresAt: wireTime(expiresAtMs),
            ledgerEpoch: epoch,
            ledgerSequence: sequence,
          },
        },
      }),
  );
  const { expiresAtMs, ...receipt } = given;
  // Of the grant in force: a repeat of the command asks for later, and gets what the first time gave.
  const expiresAt = wireTime(expiresAtMs);
  gateway.log.info({ approval, command, logged }, 'approval answered');
  if (logged) return { ...receipt, expiresAt };
  throw notOnLog('APPROVAL_IN_FORCE_NOT_ON_LOG', 'the answer', { approval: { ...receipt, expiresAt } });
}
