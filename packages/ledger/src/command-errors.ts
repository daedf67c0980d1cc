/** Errors for commands of operators: an answer to a question, and a correction of a budget. */
import { MandateError } from '@mandate/runtime';

/**
 * The error for an unknown question. A request with other arguments is another question, even under the same action
 * id. The ledger forgets a question together with its action id.
 */
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

export function adjustmentTooLarge(): MandateError {
  return new MandateError(
    'ADJUSTMENT_TOO_LARGE',
    'The counter cannot hold what this adjustment would leave.',
    { remedy: 'Adjust by an amount that leaves the counter within 2^53-1 of zero, in its unit.' },
  );
}
