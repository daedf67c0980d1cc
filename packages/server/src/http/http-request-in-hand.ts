/**
 * A request over HTTP. If its code throws an uncaught exception, the caller gets a problem document with status 500.
 * If the answer has already begun, its connection ends.
 */
import type { AsyncResource } from 'node:async_hooks';
import type { EventEmitter } from 'node:events';
import { IncomingMessage, ServerResponse } from 'node:http';
import { inRequest, type RequestInHand } from '@mandate/runtime';
import type { FastifyRequest } from 'fastify';
import { type HttpProblem, problemDocument } from './http-problem.ts';
import type { HttpServer } from './http-server-type.ts';
import { internalProblem } from './problem-of-error.ts';
import { requestIdOf, SECURITY_HEADERS } from './request-context.ts';
import type { RequestFaults } from './request-faults.ts';

export class HttpRequestInHand implements RequestInHand {
  /** The request of fastify. Null until the request is routed. */
  routed: FastifyRequest | null = null;
  entrance: AsyncResource | undefined;
  readonly #request: IncomingMessage;
  readonly #answer: ServerResponse;
  readonly #faults: RequestFaults;
  #hasFailed = false;

  constructor(request: IncomingMessage, answer: ServerResponse, faults: RequestFaults) {
    this.#request = request;
    this.#answer = answer;
    this.#faults = faults;
  }

  fail(error: unknown): void {
    const { method, url = '' } = this.#request;
    const requestId = this.routed?.id ?? requestIdOf(this.#request);
    const about = { requestId, method, route: this.routed?.routeOptions.url };
    this.#faults.note(error, this.#hasFailed ? null : about);
    this.#hasFailed = true;
    try {
      this.#end(internalProblem(error), { requestId, instance: url.split('?', 1)[0] ?? '/' });
    } catch {
      this.#answer.destroy();
    }
  }

  #end(problem: HttpProblem, where: { requestId: string; instance: string }): void {
    const answer = this.#answer;
    // The whole answer is already written, so the caller misses nothing.
    if (answer.writableEnded) return;
    if (answer.headersSent || answer.destroyed) {
      answer.destroy();
      return;
    }
    for (const name of answer.getHeaderNames()) answer.removeHeader(name);
    const body = JSON.stringify(problemDocument(problem, where));
    answer.writeHead(problem.status, {
      ...SECURITY_HEADERS,
      'x-request-id': where.requestId,
      'content-type': 'application/problem+json; charset=utf-8',
      'content-length': Buffer.byteLength(body),
      connection: 'close',
    });
    answer.end(body);
  }
}

/**
 * Connects each request of fastify with its scope. Call it before every other hook, so that later failures are logged
 * with the request id and the route.
 */
export function nameRequestsInHand(server: HttpServer): void {
  server.addHook('onRequest', (request, _reply, done) => {
    if (request.raw instanceof ScopedRequest && request.raw.inHand !== null)
      request.raw.inHand.routed = request;
    done();
  });
}

/**
 * A request that runs the listeners of its events as code of the request. The events come from the connection. An
 * exception in a listener fails the request.
 */
export class ScopedRequest extends IncomingMessage {
  inHand: HttpRequestInHand | null = null;

  override emit(event: string | symbol, ...args: unknown[]): boolean {
    return emitIn(this.inHand, this, event, () => super.emit(event, ...args));
  }
}

export class ScopedAnswer extends ServerResponse<ScopedRequest> {
  override emit(event: string | symbol, ...args: unknown[]): boolean {
    return emitIn(this.req?.inHand, this, event, () => super.emit(event, ...args));
  }
}

/** @param inHand the request. Null or undefined while Node still builds the object */
export function emitIn(
  inHand: RequestInHand | null | undefined,
  emitter: EventEmitter,
  event: string | symbol,
  emit: () => boolean,
): boolean {
  if (!inHand) return emit();
  // Most events have no listener, so there is nothing to run. An error without a listener is thrown.
  if (event !== 'error' && emitter.listenerCount(event) === 0) return false;
  let isHeard = true;
  inRequest(inHand, () => {
    isHeard = emit();
  });
  return isHeard;
}
