/**
 * No header goes out that could break the answer. Text from callers is encoded where it enters a header (header-text.ts);
 * a value that was forgotten is refused here, as a fault of the server, before Node throws for it in the middle of an answer.
 */
import { validateHeaderValue } from 'node:http';
import type { HttpServer } from './http-server-type.ts';

export function refuseUnsendableHeaders(server: HttpServer): void {
  server.addHook('onSend', (_request, reply, payload, done) => {
    for (const [name, value] of Object.entries(reply.getHeaders())) {
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
