/** The result of one check of the servers, and the work that was done for it. */
import { isMandateError } from '@mandate/runtime';

export type Finding = {
  server: 'kafka' | 'redis' | 'clickhouse';
  what: string;
  /**
   * `ok`: as it must be. `made`: it was missing, and was made. `wrong`: it is missing or wrong, and the remedy says who can
   * change that. `unknown`: the server gave no answer.
   */
  state: 'ok' | 'made' | 'wrong' | 'unknown';
  detail: string;
  remedy: string | null;
};

/**
 * Checks one thing by `look`. An error of `look` becomes the finding. If a later try may succeed, the state is `unknown`.
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
