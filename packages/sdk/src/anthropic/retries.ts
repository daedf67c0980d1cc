/** Predicts whether Anthropic's SDK will try a request again, because its middleware sees only single attempts. */

/** The retries of a client if its options state none. */
const DEFAULT_RETRIES = 2;

/** The longest wait of the SDK between two attempts, if the answer states no wait. */
const LONGEST_WAIT_MS = 8_000;
/** How much later than expected an attempt may begin. */
const SLACK_MS = 5_000;
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** @param maxRetries the maximum number that the request or the client states */
export function hasRetries(headers: unknown, maxRetries: number | undefined): boolean {
  const count = new Headers(headers as Headers).get('x-stainless-retry-count');
  return Number(count ?? 0) < (maxRetries ?? DEFAULT_RETRIES);
}

/** True if the SDK tries again after this answer, unless it has no retries left. */
export function isRetried({ status, headers }: Response): boolean {
  const stated = headers.get('x-should-retry');
  if (stated === 'true' || stated === 'false') return stated === 'true';
  return status === 408 || status === 409 || status === 429 || status >= 500;
}

/** Returns how long the next attempt may take to begin. After that time there is no next attempt. */
export function latestRetryMs(response: Response | null): number {
  const { headers } = response ?? new Response(null);
  const ms = Number.parseFloat(headers.get('retry-after-ms') ?? '');
  const after = headers.get('retry-after') ?? '';
  const seconds = Number.parseFloat(after);
  const stated = [ms, seconds * 1000, Date.parse(after) - Date.now()].filter((wait) => wait > 0);
  return Math.min(Math.max(LONGEST_WAIT_MS, ...stated) + SLACK_MS, LONGEST_TIMER_MS);
}
