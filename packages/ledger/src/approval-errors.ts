/** Errors of an answer to a question: no such question is known, or its action was decided in the meantime. */
import { MandateError } from '@mandate/runtime';

/** Other arguments under the same action id are another question. A question is forgotten with its action id. */
export function approvalNotFound(): MandateError {
  return new MandateError('APPROVAL_NOT_FOUND', 'the ledger knows no question to a person with this id', {
    remedy:
      'GET /v1/approvals lists the questions that wait. If the question is not listed, the agent must send its request again.',
  });
}

export function approvalNotWaiting({ verdict, code }: { verdict: string; code: string }): MandateError {
  return new MandateError('APPROVAL_NOT_WAITING', `the action was already decided: ${verdict} (${code})`, {
    remedy: 'The answer would change nothing. To stop a running action, kill its agent.',
  });
}
