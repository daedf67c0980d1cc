/**
 * Limits the memory of incoming bodies. Bytes count when they arrive. Small bodies do not count. A very slow body is
 * cut off long before the time-out of its request. So a caller that announces much and sends little takes no memory.
 */
import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import type { FastifyRequest } from 'fastify';
import type { FairRoom, Held } from '../fair-room.ts';
import { CallerRooms } from './caller-rooms.ts';
import type { CountCut } from './count-cuts.ts';
import type { HttpLimits } from './http-limits.ts';
import { HttpProblem } from './http-problem.ts';
import type { HttpServer } from './http-server-type.ts';
import { overloaded } from './overloaded.ts';
import { bodyTooLarge } from './problem-of-error.ts';
import { whenClosed } from './when-closed.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The body that is being read. Null if the request has no body. */
    bodyUnderWay: BodyUnderWay | null;
  }
}

type BodyUnderWay = {
  readonly held: Held;
  readonly socket: Socket;
  room: FairRoom | null;
  beganMs: number;
  movedMs: number;
  bytes: number;
  /** Ends the body with an error. Has no effect before the body is read. */
  fail(problem: HttpProblem): void;
};

export class BoundBodies {
  readonly #limits: HttpLimits;
  readonly #rooms: CallerRooms;
  readonly #arriving = new Set<BodyUnderWay>();
  readonly #count: CountCut;

  constructor(limits: HttpLimits, count: CountCut) {
    this.#limits = limits;
    this.#count = count;
    this.#rooms = new CallerRooms(limits.bodiesBytes);
  }

  get bytes(): number {
    return this.#rooms.amount;
  }

  /** Call this method after `authenticate`, which sets the caller. */
  watch(server: HttpServer): void {
    server.decorateRequest('bodyUnderWay', null);
    server.addHook('onRequest', (request, reply, done) => {
      if (announcesBody(request)) {
        const body = this.#beginning(request);
        request.bodyUnderWay = body;
        whenClosed(reply.raw, () => {
          this.#arriving.delete(body);
          body.room?.leave(body.held);
        });
      }
      done();
    });
  }

  /**
   * Reads the whole body.
   *
   * @throws HttpProblem BODY_TOO_LARGE, OVERLOADED, REQUEST_TIMEOUT, INVALID_REQUEST
   */
  read(request: FastifyRequest, payload: Readable): Promise<Buffer> {
    const { routeOptions, headers } = request;
    const most = routeOptions.bodyLimit ?? this.#limits.bodyBytes;
    const announced = headers['content-length'] === undefined ? null : Number(headers['content-length']);
    if (announced !== null && announced > most) return Promise.reject(bodyTooLarge(most));
    const body = request.bodyUnderWay ?? this.#beginning(request);
    const whole = Promise.withResolvers<Buffer>();
    const chunks: Buffer[] = [];
    const onData = (chunk: Buffer) => {
      body.bytes += chunk.length;
      body.movedMs = performance.now();
      chunks.push(chunk);
      if (body.bytes > most) body.fail(bodyTooLarge(most));
      else if (!this.#hasRoom(request, body, chunk.length)) body.held.cut();
    };
    const onEnd = () => {
      if (announced !== null && announced !== body.bytes) return body.fail(notAsLong());
      stop();
      body.fail = closeConnection(request);
      const [first] = chunks;
      whole.resolve(first !== undefined && chunks.length === 1 ? first : Buffer.concat(chunks, body.bytes));
    };
    const onGone = () => body.fail(brokenOff());
    const stop = () => {
      this.#arriving.delete(body);
      payload.off('data', onData).off('end', onEnd).off('error', onGone).off('close', onGone);
    };
    body.fail = (problem) => {
      stop();
      body.room?.leave(body.held);
      whole.reject(problem);
    };
    this.#arriving.add(body);
    payload.on('data', onData).on('end', onEnd).on('error', onGone).on('close', onGone);
    return whole.promise;
  }

  /** Cuts off bodies that were too slow until now. */
  look(): void {
    const { bodyIdleMs, bodyBytesPerSecond } = this.#limits;
    const nowMs = performance.now();
    for (const body of this.#arriving) {
      if (body.socket.isPaused()) {
        // The server does not read this connection at the moment (pipelines.ts). This time does not count.
        body.beganMs += nowMs - body.movedMs;
        body.movedMs = nowMs;
        continue;
      }
      const lateMs = nowMs - body.beganMs - bodyIdleMs;
      const isSlow = body.bytes < (lateMs / 1_000) * bodyBytesPerSecond;
      if (!isSlow && nowMs - body.movedMs <= bodyIdleMs) continue;
      this.#count('slow body');
      body.fail(tooSlow());
    }
  }

  #beginning(request: FastifyRequest): BodyUnderWay {
    const nowMs = performance.now();
    const cut = () => {
      this.#count('body');
      body.fail(noRoom());
    };
    const body: BodyUnderWay = {
      held: { holder: request.caller.holder, state: 'busy', cut },
      socket: request.raw.socket,
      room: null,
      beganMs: nowMs,
      movedMs: nowMs,
      bytes: 0,
      fail: () => {},
    };
    return body;
  }

  /** Counts only the bytes above the size of a small body. */
  #hasRoom(request: FastifyRequest, body: BodyUnderWay, more: number): boolean {
    const counted = Math.min(more, body.bytes - this.#limits.smallBodyBytes);
    if (counted <= 0) return true;
    if (body.room !== null) return body.room.take(body.held, counted);
    body.room = this.#rooms.take(request.caller.kind, body.held, counted);
    return body.room !== null;
  }
}

function announcesBody({ headers }: FastifyRequest): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/**
 * Returns how a body fails that was read. It is made outside of `read`, because a function made there would keep the
 * bytes in memory until the request is answered.
 */
function closeConnection({ raw: { socket } }: FastifyRequest): () => void {
  return () => socket.destroy();
}

function noRoom(): HttpProblem {
  return overloaded('too many large bodies arrive at the same time', {
    remedy: 'Try again in a moment, and send less at a time.',
  });
}

function tooSlow(): HttpProblem {
  return new HttpProblem(408, 'REQUEST_TIMEOUT', 'the body arrived too slowly', {
    remedy: 'Send the request again, without pauses.',
    headers: { connection: 'close' },
  });
}

function notAsLong(): HttpProblem {
  return new HttpProblem(400, 'INVALID_REQUEST', 'the body is longer or shorter than its content-length', {
    remedy: 'Send the correct content-length, or leave it out.',
  });
}

function brokenOff(): HttpProblem {
  return new HttpProblem(400, 'INVALID_REQUEST', 'the connection ended before the whole body arrived', {
    remedy: 'Send the request again.',
  });
}
