/** Callers that send many requests for large answers on many connections, and do not read the answers. */
import type { Attack } from './attack.ts';
import { keepOpen, keyOf } from './keep-open.ts';

/** Routes with large answers, files and endless streams. Most of these routes need a key with `audit`. */
const ASKED = [
  '/openapi.json',
  '/v1/audit/decisions?limit=1000',
  '/v1/audit/export',
  '/v1/audit/live',
  '/v1/kills/stream',
  '/metrics',
];
const AT_ONCE = 20;

/** @param many the number of connections for each key */
export function deafReaders(many = 40): Attack {
  return (target, until) =>
    keepOpen(target, until, {
      many: many * target.keys.length,
      isRead: false,
      speak(socket, nth) {
        const path = ASKED[nth % ASKED.length];
        socket.write(`GET ${path} HTTP/1.1\r\nhost: x\r\n${keyOf(target, nth)}\r\n`.repeat(AT_ONCE));
        return undefined;
      },
    });
}
