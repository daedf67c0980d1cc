/** Why the ledger takes no answer of a person: nobody asked, or it was decided since. */
import { MandateError } from '@mandate/runtime';

/** Other arguments under the same id are another question; so is what was asked longer ago than ids are remembered. */
export function notAskedFor(): MandateError {
  return new MandateError(
    'APPROVAL_NOT_FOUND',
    'nothing like that waits for a person, as far as is remembered',
    {
      remedy:
        'GET /v1/approvals lists what does. What was asked longer ago than ids are remembered has to be asked again.',
    },
  );
}

export function decidedSince({ verdict, code }: { verdict: string; code: string }): MandateError {
  return new MandateError('APPROVAL_NOT_WAITING', `the action was decided since: ${verdict} (${code})`, {
    remedy: 'The answer would change nothing. To stop what runs, kill its agent.',
  });
}
