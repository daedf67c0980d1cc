/**
 * Rejects a header that could break the answer. Text of callers is encoded where it enters a header (header-text.ts).
 * A value that was not encoded is rejected here as a fault of the server, before Node throws for it in the middle of
 * an answer.
 */
import { validateHeaderValue } from 'node:http';
import type { HttpServer } from './http-server-type.ts';

/** Node accepts more characters than these. A value with these characters only needs no further check. */
const PRINTABLE = /^[\t -~]*$/;

export function refuseUnsendableHeaders(server: HttpServer): void {
  server.addHook('onSend', (_request, reply, payload, done) => {
    const headers = reply.getHeaders();
    for (const name in headers) {
      const value = headers[name];
      if (typeof value === 'string' && PRINTABLE.test(value)) continue;
      try {
        validateHeaderValue(name, value as string);
      } catch (error) {
        reply.removeHeader(name);
        done(error as Error);
        return;
      }
    }
    done(null, payload);
  });
}
