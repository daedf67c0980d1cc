/** The result of one check of the servers, and the work that was done for it. */
import { isMandateError } from '@mandate/runtime';

export type Finding = {
  server: 'kafka' | 'redis' | 'clickhouse';
  what: string;
  /**
   * The state of the checked thing. `ok`: nothing to do. `made`: it was missing, and was made. `wrong`: it is missing
   * or wrong, and the remedy says who can change it. `unknown`: the server gave no answer.
   */
  state: 'ok' | 'made' | 'wrong' | 'unknown';
  detail: string;
  remedy: string | null;
};

/**
 * Runs the check `look` and returns its finding. An error of `look` becomes a finding too. If a later try may
 * succeed, its state is `unknown`.
 */
export async function finding(
  about: Pick<Finding, 'server' | 'what'>,
  look: () => Promise<Pick<Finding, 'state' | 'detail'> & { remedy?: string }>,
): Promise<Finding> {
  try {
    return { ...about, remedy: null, ...(await look()) };
  } catch (error) {
    if (!isMandateError(error)) throw error;
    const { code, message, retryable, remedy } = error;
    return { ...about, state: retryable ? 'unknown' : 'wrong', detail: `${message} (${code})`, remedy };
  }
}
