/**
 * Reads the revision that a client expects from its request headers (RFC 9110, section 13.1). The ETag of a document
 * is its revision.
 */
import { HttpProblem, type HttpRequest } from '@mandate/server';

export function etagOf(revision: number): string {
  return `"${revision}"`;
}

/**
 * Returns 0 if the document must not exist yet, and undefined if any revision is accepted. Throws
 * INVALID_PRECONDITION.
 */
export function expectedRevision({ headers }: Pick<HttpRequest, 'headers'>): number | undefined {
  const { 'if-match': match, 'if-none-match': noneMatch } = headers;
  if (match !== undefined && noneMatch !== undefined)
    throw invalid('send If-Match or If-None-Match, not both');
  if (noneMatch !== undefined) {
    if (noneMatch.trim() === '*') return 0;
    throw invalid('If-None-Match of a change must be *: the document must not exist yet');
  }
  if (match === undefined) return undefined;
  const revision = /^"(\d{1,15})"$/.exec(match.trim())?.[1];
  if (revision === undefined) throw invalid('If-Match has no ETag of this service');
  return Number(revision);
}

export function createsOnly(): HttpProblem {
  return invalid('POST adds a new document, so it takes no If-Match. PUT changes an existing one');
}

function invalid(message: string): HttpProblem {
  return new HttpProblem(400, 'INVALID_PRECONDITION', message, {
    remedy: 'Send the ETag of the document, unchanged, in If-Match.',
  });
}
