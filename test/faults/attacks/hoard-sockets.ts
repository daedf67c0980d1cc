/** Opens connections and keeps them open without using them. */
import type { Attack } from './attack.ts';
import { keepOpen, keyOf } from './keep-open.ts';

/**
 * How the attacker keeps a connection open. `silent`: sends nothing. `slow headers`: sends one header each second,
 * and never ends the headers. `kept alive`: sends one request with a key, and then nothing more.
 */
export type Hoarding = 'silent' | 'slow headers' | 'kept alive';

const A_HEADER_EVERY_MS = 1_000;

export function hoardSockets(how: Hoarding, many: number): Attack {
  return (target, until) =>
    keepOpen(target, until, {
      many,
      speak(socket, nth) {
        if (how === 'silent') return undefined;
        const head = `GET /v1/actions/none HTTP/1.1\r\nhost: x\r\n${keyOf(target, nth)}`;
        if (how === 'kept alive') {
          socket.write(`${head}\r\n`);
          return undefined;
        }
        socket.write(head);
        const drip = setInterval(() => socket.write('x-a: b\r\n'), A_HEADER_EVERY_MS);
        return () => clearInterval(drip);
      },
    });
}
