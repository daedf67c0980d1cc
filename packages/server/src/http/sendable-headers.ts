/**
 * No header goes out that could break the answer. Text from callers is encoded where it enters a header
 * (header-text.ts); a value that was forgotten is refused here, as a fault of the server, before Node throws for it
 * in the middle of an answer.
 */
import { validateHeaderValue } from 'node:http';
import type { HttpServer } from './http-server-type.ts';

/** Node accepts more characters than these. A value that has only these needs no further check. */
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
