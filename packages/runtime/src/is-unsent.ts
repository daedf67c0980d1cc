/** The error codes of connections that failed before anything was sent. */
const UNSENT = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/**
 * Returns true if the request cannot have reached its server. False: it may have.
 *
 * @param error the error of `fetch`, or of a connection
 */
export function isUnsent(error: unknown): boolean {
  const { code, cause } = (error ?? {}) as { code?: unknown; cause?: { code?: unknown } };
  return UNSENT.has(String(cause?.code ?? code));
}
