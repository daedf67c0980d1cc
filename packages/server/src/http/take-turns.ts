/**
 * While the event loop is busy, requests wait in a queue. The queue is fair between tenants, and between the keys of
 * a tenant. A request that stops agents never waits.
 */

import type { Lane } from '@mandate/runtime';
import { turns } from '@mandate/runtime';
import type { FastifyRequest } from 'fastify';
import { networkOf } from './caller-rooms.ts';
import { HttpProblem } from './http-problem.ts';
import type { HttpServer } from './http-server-type.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /**
     * True if the route is answered before all others, because it stops agents or reports health. It computes almost
     * nothing.
     */
    urgent?: boolean;
  }
}

/**
 * The maximum number of requests of one key or one address that wait in the queue. Each waiting request keeps a
 * socket and its body.
 */
const MOST_WAITING = 5_000;

/**
 * Makes requests wait before `authenticate` while the event loop is busy, because reading a key and refusing a
 * request take time too. Callers of different addresses alternate, so many requests from one address delay no caller
 * from another.
 */
export function takeTurnsToArrive(server: HttpServer): void {
  server.addHook('onRequest', (request, _reply, done) => {
    if (!mustWait(request)) done();
    else turnIn(['arrivals', networkOf(request.ip)]).then(() => done(), done);
  });
}

/**
 * Returns the names that decide the queue for a request, so that tenants alternate, and the keys of a tenant
 * alternate.
 */
export function laneOf({ principalKey }: Pick<FastifyRequest, 'principalKey'>): Lane {
  return ['requests', principalKey?.tenant ?? '', principalKey?.id ?? ''];
}

/** True if the request must wait because the event loop is busy. */
export function mustWait({ routeOptions }: FastifyRequest): boolean {
  return routeOptions.config.urgent !== true && turns.isBusy();
}

/**
 * Resolves when the request may be processed.
 *
 * @throws HttpProblem 503 OVERLOADED if too many requests of the same key already wait
 */
export async function turnOf(request: FastifyRequest): Promise<void> {
  await turnIn(laneOf(request));
}

async function turnIn(lane: Lane): Promise<void> {
  if (turns.waitingIn(lane) >= MOST_WAITING) throw overloaded();
  await turns.next(lane);
}

/**
 * Makes requests wait while the event loop is busy. Call it after `authenticate`, which sets the key of the request.
 * A request with a body waits after its body has arrived.
 */
export function takeTurns(server: HttpServer): void {
  server.addHook('onRequest', (request, _reply, done) => {
    if (hasBody(request) || !mustWait(request)) done();
    else turnOf(request).then(() => done(), done);
  });
}

function hasBody({ headers }: FastifyRequest): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

function overloaded(): HttpProblem {
  return new HttpProblem(503, 'OVERLOADED', 'too many of your requests wait for an answer', {
    remedy: 'Try again in a moment, and send fewer requests at a time.',
    headers: { 'retry-after': '1' },
  });
}
