/**
 * A person's answer to a deferred action: the ledger stores a grant or a refusal for one exact request, for a limited
 * time.
 */
import {
  approvalNotFound,
  approvalNotWaiting,
  type Command,
  type Question,
  type Receipt,
} from '@mandate/ledger';
import { isMandateError } from '@mandate/runtime';
import { type ApprovalSubject, agentKey, type Decision, wireTime } from '@mandate/schemas';
import { HttpProblem } from '@mandate/server';
import { wholeOf } from '../answers/recent-answers.ts';
import { type Gateway, ledgerOf } from '../gateway.ts';
import { carryOut } from './carry-out.ts';
import { notOnLog } from './not-on-log.ts';

export type ApprovalAnswer = ApprovalSubject & {
  tenant: string;
  answer: 'granted' | 'denied';
  expiresInMs: number;
};

/**
 * Throws APPROVAL_NOT_FOUND or APPROVAL_NOT_WAITING if there is no question to answer. Throws
 * APPROVAL_IN_FORCE_NOT_ON_LOG if the answer is in force and only its record is missing.
 */
export async function answerApproval(
  gateway: Gateway,
  { expiresInMs, ...approval }: ApprovalAnswer,
  command: Command,
): Promise<Receipt & { expiresAt: string }> {
  const ledger = ledgerOf(gateway);
  const untilMs = gateway.clock() + expiresInMs;
  const { receipt: given, logged } = await carryOut(
    ledger,
    () => ledger.approve({ ...command, ...approval, expiresAtMs: untilMs }).catch(rethrowForCaller),
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
  // A repeated command would compute a later end, so the end comes from the grant in force.
  const expiresAt = wireTime(expiresAtMs);
  gateway.log.info({ approval, command, logged }, 'approval answered');
  if (logged) return { ...receipt, expiresAt };
  throw notOnLog('APPROVAL_IN_FORCE_NOT_ON_LOG', 'the answer', { approval: { ...receipt, expiresAt } });
}

/** Throws like `answerApproval` if there is no question to answer. Changes nothing. */
export async function tryAnswer(
  gateway: Gateway,
  subject: ApprovalSubject & { tenant: string },
): Promise<Exclude<Question['state'], 'none'>> {
  const { state } = await ledgerOf(gateway).question(subject);
  if (state !== 'none') return state;
  const decided = await decisionOf(gateway, subject.tenant, subject);
  if (decided?.digest === subject.digest && (decided.verdict === 'ALLOW' || decided.final))
    return rethrowForCaller(approvalNotWaiting(decided));
  return rethrowForCaller(approvalNotFound());
}

/** Returns the newest decision about the action that this process or the audit knows. */
export async function decisionOf(
  { replies, findDecision }: Pick<Gateway, 'replies' | 'findDecision'>,
  tenant: string,
  { agentId, actionId }: ApprovalSubject,
): Promise<Decision | null> {
  const recent = replies.recent.standing(tenant, { agentId, actionId }, () => true);
  return recent === null ? ((await findDecision?.(tenant, { agentId, actionId })) ?? null) : wholeOf(recent);
}

const STATUS: Readonly<Record<string, number>> = { APPROVAL_NOT_FOUND: 404, APPROVAL_NOT_WAITING: 409 };

function rethrowForCaller(error: unknown): never {
  const status = isMandateError(error) ? STATUS[error.code] : undefined;
  if (!isMandateError(error) || status === undefined) throw error;
  throw new HttpProblem(status, error.code, error.message, { remedy: error.remedy, cause: error });
}
