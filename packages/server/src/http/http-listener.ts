/**
 * Creates Node's server below fastify, with its time-outs, and the scope in which each request and each connection
 * runs.
 */
import type { RequestListener, Server } from 'node:http';
import type { Socket } from 'node:net';
import { inRequest, type RequestInHand, turns } from '@mandate/runtime';
import type { BoundSockets } from './bound-sockets.ts';
import type { HttpLimits } from './http-limits.ts';
import { emitIn, HttpRequestInHand, ScopedAnswer, ScopedRequest } from './http-request-in-hand.ts';
import { Pipelines } from './pipelines.ts';
import type { RequestFaults } from './request-faults.ts';
import { SharedPortServer } from './shared-port-server.ts';

export function createListener(
  handle: RequestListener,
  limits: HttpLimits,
  { faults, sockets }: { faults: RequestFaults; sockets: BoundSockets },
): Server {
  const pipelines = new Pipelines();
  const server = new SharedPortServer(
    {
      IncomingMessage: ScopedRequest,
      ServerResponse: ScopedAnswer,
      // Node's own refusal would have no body, so request-context.ts refuses a request without a host.
      requireHostHeader: false,
      maxHeaderSize: limits.headerBytes,
      headersTimeout: limits.headersTimeoutMs,
      requestTimeout: limits.requestTimeoutMs,
      keepAliveTimeout: limits.keepAliveTimeoutMs,
      connectionsCheckingInterval: limits.timeoutCheckMs,
    },
    (request, answer) => {
      const inHand = new HttpRequestInHand(request, answer, faults);
      request.inHand = inHand;
      const { socket } = request;
      sockets.began(socket);
      pipelines.began(socket);
      answer.once('close', () => {
        sockets.ended(socket);
        pipelines.ended(socket);
      });
      inRequest(inHand, () => handle(request, answer));
    },
  );
  server.setTimeout(limits.idleSocketTimeoutMs);
  server.maxRequestsPerSocket = limits.requestsPerSocket;
  // Ignores all expectations of a client except 100-continue. Node would refuse such a request without a body.
  server.on('checkExpectation', (request, answer) => server.emit('request', request, answer));
  server.on('connection', (socket) => {
    turns.connected();
    scopeEvents(socket, faults);
    sockets.enter(socket);
    pipelines.enter(socket);
  });
  return server;
}

/** Events of a connection may occur between two requests. If a listener throws then, the connection ends. */
function scopeEvents(socket: Socket, faults: RequestFaults): void {
  const connection: RequestInHand = {
    fail(error) {
      faults.note(error, socket.destroyed ? null : { address: socket.remoteAddress });
      socket.destroy();
    },
  };
  const emit = socket.emit.bind(socket) as (event: string | symbol, ...args: unknown[]) => boolean;
  socket.emit = (event: string | symbol, ...args: unknown[]) =>
    emitIn(connection, socket, event, () => emit(event, ...args));
}
