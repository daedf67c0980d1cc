/**
 * Limits the memory of unread answers. Their bytes stay in this process until the caller reads them. A key with too
 * many unread bytes is refused. If the limit for all callers is reached, the caller with the most unread bytes loses
 * its oldest answer and its connection. Streams are not counted, because they pause while the caller does not read.
 */
import type { Held } from '../fair-room.ts';
import { CallerRooms } from './caller-rooms.ts';
import type { CountCut } from './count-cuts.ts';
import type { HttpLimits } from './http-limits.ts';
import type { HttpServer } from './http-server-type.ts';
import { overloaded } from './overloaded.ts';
import { whenClosed } from './when-closed.ts';

export function boundAnswers(server: HttpServer, limits: HttpLimits, count: CountCut): CallerRooms {
  const rooms = new CallerRooms(limits.answersBytes);
  server.addHook('onSend', (request, reply, payload, done) => {
    const bytes = sizeOf(payload, limits.smallBodyBytes);
    if (bytes === 0) {
      done(null, payload);
      return;
    }
    const { holder, kind } = request.caller;
    const cut = () => {
      count('answer');
      reply.raw.destroy();
    };
    const held: Held = { holder, state: 'busy', cut };
    const room = rooms.take(kind, held, bytes);
    if (room === null) {
      done(overloaded('too many bytes of earlier answers are not read yet'));
      return;
    }
    whenClosed(reply.raw, () => room.leave(held));
    done(null, payload);
  });
  return rooms;
}

/** Returns the size of an answer in bytes. 0 for a stream and for a small answer. */
function sizeOf(payload: unknown, small: number): number {
  if (typeof payload !== 'string' && !Buffer.isBuffer(payload)) return 0;
  if (payload.length <= small) return 0;
  return Buffer.byteLength(payload);
}
