/**
 * Passes requests of the console on to the services that have the routes. The console passes on only known routes, and
 * only to the addresses in its settings. So a caller cannot make it send a request to another server or path.
 *
 * This server checks the key, the session and where a change comes from, as `mandate up` does. The other service gets the
 * key as a bearer, looks it up again, and decides what the key may do. It never gets the cookie. Answers pass unchanged
 * and unbuffered, so streams of events pass too. If one end leaves, the other end is closed.
 */
import type { IncomingMessage } from 'node:http';
import { recordHttpReads } from '@mandate/access-log';
import type { Bus } from '@mandate/bus';
import { SERVICE_NAMES, type Service } from '@mandate/client';
import { redactPieces } from '@mandate/privacy';
import { type Clock, isUnsent, type Logger, ofThisRequest } from '@mandate/runtime';
import { passedHeaders } from '@mandate/runtime/passed-headers';
import { API_SCOPES } from '@mandate/schemas';
import {
  credentialOf,
  HttpProblem,
  type HttpReply,
  type HttpRequest,
  type HttpRoutes,
  takeRawBody,
  type Upstreams,
  whenClosed,
} from '@mandate/server';
import { FORWARDED_ROUTES, type ForwardedRoute } from './forwarded-routes.ts';

export type ForwardParts = {
  /** The address of each service. */
  addresses: Readonly<Record<Service, URL>>;
  upstreams: Upstreams;
  bus: Pick<Bus, 'append'>;
  clock: Clock;
  log: Logger;
  /** How long each wait for a service may last. */
  times?: typeof TIMES;
};

/** The most that any route accepts. The service that answers has the exact limit of its route. */
const MOST_BODY_BYTES = 4 * 1024 * 1024;

/**
 * A publisher may wait 60 s for its decision. This server gives up before the 120 s after which it closes a silent
 * connection, so that the caller gets an answer.
 */
const TIMES = {
  connectMs: 3_000,
  firstByteMs: 90_000,
  /** How long an answer may pause. Every stream sends something at least each 30 s. */
  idleMs: 90_000,
};

/** The request headers that a route may read. All others stay at this server. */
const PASSED_ON = new Set([
  ...['accept', 'accept-encoding', 'content-type', 'user-agent'],
  ...['idempotency-key', 'if-match', 'if-none-match', 'last-event-id'],
]);

/** This server sets its own cookies, and says itself what its answers depend on. */
const KEPT_BACK = new Set(['set-cookie', 'vary']);

/** Returns the routes that this server does not have itself. Register them after its own routes. */
export function forwardRoutes(parts: ForwardParts): HttpRoutes {
  const { bus, clock, log } = parts;
  return async (server) => {
    recordHttpReads({ bus, source: 'console', clock, log, redactText: redactPieces }).recordRefusals(server);
    const streams = new Set<() => void>();
    server.addHook('preClose', async () => {
      for (const end of streams) end();
    });
    for (const route of FORWARDED_ROUTES) {
      const { method, url, kills } = route;
      if (server.hasRoute({ method, url })) continue;
      server.route({
        ...{ method, url, bodyLimit: MOST_BODY_BYTES, compress: false },
        // The service compresses its answers, and limits the requests of a key.
        config: { scope: API_SCOPES, rawJson: 'if-any', unlimited: true, urgent: kills },
        schema: { hide: true },
        handler: (request, reply) => forward(route, parts, { request, reply, streams }),
      });
    }
  };
}

type Asked = { request: HttpRequest; reply: HttpReply; streams: Set<() => void> };

async function forward(
  { service }: ForwardedRoute,
  { addresses, upstreams, times = TIMES }: ForwardParts,
  { request, reply, streams }: Asked,
): Promise<HttpReply> {
  const path = request.raw.url ?? '';
  if (!path.startsWith('/v1/')) {
    reply.callNotFound();
    return reply;
  }
  const { method } = request;
  const url = addresses[service];
  const body = Buffer.isBuffer(request.body) ? takeRawBody(request) : null;
  const left = new AbortController();
  whenClosed(
    reply.raw,
    ofThisRequest(() => {
      if (!reply.raw.writableFinished) left.abort();
    }),
  );
  const isRead = method === 'GET' || method === 'HEAD';
  const answer = await upstreams
    .send({
      ...{ url, path, method, body, times, signal: left.signal },
      headers: [...headersOf(request), 'host', url.host, ...(isRead ? [] : lengthOf(body))],
      // A change that the service has carried out must not be carried out twice.
      mayRepeat: isRead,
    })
    .catch((error: unknown) => {
      if (left.signal.aborted) return null;
      throw noAnswer(service, isRead || isUnsent(error), error);
    });
  if (answer !== null) {
    endIfSilent(answer, times.idleMs);
    return passAnswer(answer, reply, streams);
  }
  // The caller has left, so there is nothing to answer.
  reply.hijack();
  return reply;
}

function headersOf(request: HttpRequest): string[] {
  return [
    ...passedHeaders(request.raw.rawHeaders, (name) => PASSED_ON.has(name)),
    ...['authorization', `Bearer ${credentialOf(request)}`, 'x-request-id', request.id],
    ...(request.traceparent === null ? [] : ['traceparent', request.traceparent]),
  ];
}

function lengthOf(body: Buffer | null): string[] {
  return ['content-length', String(body?.length ?? 0)];
}

function passAnswer(answer: IncomingMessage, reply: HttpReply, streams: Set<() => void>): HttpReply {
  reply.code(answer.statusCode ?? 502);
  const passed = passedHeaders(answer.rawHeaders, (name) => !KEPT_BACK.has(name));
  for (const [at, name] of passed.entries()) {
    const value = answer.headers[name.toLowerCase()];
    if (at % 2 === 0 && value !== undefined) reply.header(name, value);
  }
  if (answer.headers['content-type']?.startsWith('text/event-stream') === true) {
    const end = ofThisRequest(() => {
      answer.unpipe();
      reply.raw.end();
    });
    streams.add(end);
    whenClosed(reply.raw, () => streams.delete(end));
    // The connection closes after the stream. So a server that stops does not have to wait until the connection is idle.
    reply.header('connection', 'close');
  }
  return reply.send(answer);
}

/** Cuts an answer that stops in the middle. */
function endIfSilent(answer: IncomingMessage, idleMs: number): void {
  const { socket } = answer;
  const cut = () => void answer.destroy(new Error(`no byte for ${idleMs} ms`));
  socket.setTimeout(idleMs, cut);
  // The connection is used again.
  answer.once('close', () => socket.off('timeout', cut));
}

function noAnswer(service: Service, isUndone: boolean, cause: unknown): HttpProblem {
  const remedy = isUndone
    ? 'Try again in a moment.'
    : 'The request may have been carried out. Look what is in force, then try again.';
  return new HttpProblem(503, 'SERVICE_UNAVAILABLE', `the ${SERVICE_NAMES[service]} gave no answer`, {
    remedy: `${remedy} The operator finds the cause in the log of the console.`,
    headers: { 'retry-after': '1' },
    cause,
  });
}
