/**
 * Rejects a header that could break the answer. header-text.ts encodes text of callers for headers. A value without
 * this encoding is rejected here as a fault of the server, because Node would throw for it in the middle of an
 * answer.
 */
import { validateHeaderValue } from 'node:http';
import type { HttpServer } from './http-server-type.ts';

/** Matches values that need no further check. Node accepts some more characters. */
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
