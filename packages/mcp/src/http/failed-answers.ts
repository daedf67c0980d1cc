/** The meaning of an answer's status for a call, and the error for a missing answer. */

/** The statuses with which the server did not run the call. */
const DID_NOT_RUN: ReadonlySet<number> = new Set([400, 401, 403, 404, 405, 406, 415, 429]);

export function didNotRun({ statusCode = 0 }: { statusCode?: number | undefined }): boolean {
  return DID_NOT_RUN.has(statusCode);
}

export function isFailure({ statusCode = 500 }: { statusCode?: number | undefined }): boolean {
  return statusCode >= 300;
}

export function unreachable(error: unknown): string {
  return `The server gave no answer: ${error instanceof Error ? error.message : error}.`.replace(
    /\.\.$/,
    '.',
  );
}
