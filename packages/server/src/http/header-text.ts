/**
 * Encodes text of a caller for a header or a trailer: UTF-8, percent-encoded as in a query. Headers must be ASCII.
 * Node throws for characters outside of Latin-1, and a line break would begin another header.
 */
export function headerText(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}
