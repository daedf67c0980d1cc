/**
 * Limits the number of running requests, including streams. One connection may have several. If a request is cut, its
 * connection ends too, and the caller must send the request again.
 */
import type { Held } from '../fair-room.ts';
import { CallerRooms } from './caller-rooms.ts';
import type { CountCut } from './count-cuts.ts';
import type { HttpServer } from './http-server-type.ts';
import { overloaded } from './overloaded.ts';
import { whenClosed } from './when-closed.ts';

/** Limits the requests of a server. Call it after `authenticate`, which sets the caller. */
export function boundRequests(server: HttpServer, most: number, count: CountCut): CallerRooms {
  const rooms = new CallerRooms(most);
  server.addHook('onRequest', (request, reply, done) => {
    const { holder, kind } = request.caller;
    const cut = () => {
      count('request');
      request.raw.socket.destroy();
    };
    const held: Held = { holder, state: 'busy', cut };
    const room = rooms.take(kind, held, 1);
    if (room === null) {
      done(overloaded('too many of your requests are not answered yet'));
      return;
    }
    whenClosed(reply.raw, () => room.leave(held));
    done();
  });
  return rooms;
}
