/** A server that is not available on this machine. The message says what is missing and what would help. */
export class MissingServerError extends Error {
  override readonly name = 'MissingServerError';
}
