/** Metrics of running requests and open connections. A timer cuts off slow bodies and slow readers. */
import type { Metrics } from '../metrics.ts';
import type { BoundBodies } from './bound-bodies.ts';
import type { BoundSockets } from './bound-sockets.ts';
import type { CallerRooms } from './caller-rooms.ts';
import type { CountCut } from './count-cuts.ts';
import type { HttpLimits } from './http-limits.ts';
import type { HttpServer } from './http-server-type.ts';
import { SlowReaders } from './slow-readers.ts';

export function watchRoom(
  server: HttpServer,
  room: {
    limits: HttpLimits;
    metrics: Metrics;
    sockets: BoundSockets;
    requests: CallerRooms;
    bodies: BoundBodies;
    answers: CallerRooms;
    count: CountCut;
  },
): void {
  const { limits, metrics, sockets, requests, bodies, answers, count } = room;
  metrics.gauge({
    name: 'mandate_http_open_sockets',
    help: 'Connections that are open',
    collect: () => sockets.open,
  });
  metrics.gauge({
    name: 'mandate_http_requests_under_way',
    help: 'Requests that were not answered to the end yet, streams among them',
    collect: () => requests.amount,
  });
  metrics.gauge({
    name: 'mandate_http_body_bytes',
    help: 'Bytes of large bodies whose requests were not answered yet, as far as they arrived',
    collect: () => bodies.bytes,
  });
  metrics.gauge({
    name: 'mandate_http_unread_bytes',
    help: 'Bytes of large answers that their callers did not read yet',
    collect: () => answers.amount,
  });
  const readers = new SlowReaders(limits, count);
  let timer: NodeJS.Timeout | undefined;
  server.addHook('onListen', async () => {
    timer = setInterval(() => {
      bodies.look();
      readers.look(sockets.all());
    }, limits.timeoutCheckMs).unref();
  });
  server.addHook('onClose', async () => clearInterval(timer));
}
