/** What was found of one thing that the servers must have, and what was done about it. */
import { isMandateError } from '@mandate/runtime';

export type Finding = {
  server: 'kafka' | 'redis' | 'clickhouse';
  what: string;
  /**
   * `ok`: as it must be. `made`: was missing. `wrong`: missing or otherwise than it must be, and not made: the remedy
   * says by whom. `unknown`: the server did not answer, or would not say.
   */
  state: 'ok' | 'made' | 'wrong' | 'unknown';
  detail: string;
  remedy: string | null;
};

/** Looks at one thing. If the look throws, the error is the finding; errors that may pass are not. */
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
