/**
 * Opens more streams of kills and of the live audit than a key may have, and keeps them open. Each key opens `many`
 * streams.
 */
import type { Attack } from './attack.ts';
import { keepOpen, keyOf } from './keep-open.ts';

const STREAMS = ['/v1/kills/stream', '/v1/audit/live'];

export function hoardStreams(many: number): Attack {
  return (target, until) =>
    keepOpen(target, until, {
      many: many * target.keys.length,
      speak(socket, nth) {
        // Consecutive numbers belong to different keys. So each key opens each kind of stream.
        const path = STREAMS[Math.floor(nth / target.keys.length) % STREAMS.length];
        socket.write(`GET ${path} HTTP/1.1\r\nhost: x\r\n${keyOf(target, nth)}\r\n`);
        return undefined;
      },
    });
}
