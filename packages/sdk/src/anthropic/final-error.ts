/** Changes an error of Mandate so that Anthropic's SDK passes it to its caller unchanged, without a retry. */

/** If the text of an error matches this, the SDK treats the error as a time-out. */
const LOOKS_LIKE_TIMEOUT = /timed? ?out/i;

const MOST_CAUSES = 32;

/**
 * Returns the same error. It is changed only if the SDK would mistake it for an error of the connection: a cause that
 * the SDK retries is removed, and a text about a time-out is shortened to the name.
 */
export function finalError<E extends Error>(error: E): E {
  if (hasRetryableCause(error.cause) || LOOKS_LIKE_TIMEOUT.test(String(error.cause))) {
    Object.defineProperty(error, 'cause', { value: undefined, configurable: true, writable: true });
  }
  if (LOOKS_LIKE_TIMEOUT.test(String(error))) {
    Object.defineProperty(error, 'toString', { value: () => error.name, configurable: true, writable: true });
  }
  return error;
}

/** The SDK retries aborts and errors of its own connections. Their classes can be recognized by name only. */
function hasRetryableCause(cause: unknown): boolean {
  let one = cause;
  for (let read = 0; read < MOST_CAUSES; read += 1) {
    if (typeof one !== 'object' || one === null) return false;
    const { name, message, cause: next } = one as Error;
    if (name === 'AbortError' || String(message).includes('FetchRequestCanceledException')) return true;
    if (/^(APIConnection|APIUserAbort|Retryable)/.test(one.constructor?.name ?? '')) return true;
    one = next;
  }
  return true;
}
