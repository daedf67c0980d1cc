/** The error for a server that is missing on this machine. The message says what is missing and what would help. */
export class MissingServerError extends Error {
  override readonly name = 'MissingServerError';
}
