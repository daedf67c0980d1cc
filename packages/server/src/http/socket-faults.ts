/** Answers requests that are so broken, slow or large that Node creates no request object for them. */
import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyBaseLogger } from 'fastify';
import { HttpProblem, problemDocument } from './http-problem.ts';
import { SECURITY_HEADERS } from './request-context.ts';

/** Milliseconds after the answer until the socket is destroyed. */
const LINGER_MS = 1_000;

/**
 * Answers a broken request and closes its socket. Ignores all later bytes, because a refused request must not be
 * carried out.
 */
export function answerSocketFault(error: { code?: string }, socket: Socket, log: FastifyBaseLogger): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  socket.pause();
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
  const problem = problemOf(error.code);
  const requestId = randomUUID();
  // The log level is low, because any client can send endless malformed requests and would fill the log.
  log.debug(
    { requestId, code: problem.code, cause: error.code, address: socket.remoteAddress },
    'no request',
  );
  const body = JSON.stringify(problemDocument(problem, { requestId }));
  const headers = {
    ...SECURITY_HEADERS,
    'x-request-id': requestId,
    'content-type': 'application/problem+json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    date: new Date().toUTCString(),
    connection: 'close',
  };
  socket.end(
    [
      `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}`,
      ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
      '',
      body,
    ].join('\r\n'),
  );
}

function problemOf(code: string | undefined): HttpProblem {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    return new HttpProblem(408, 'REQUEST_TIMEOUT', 'the request took too long to arrive', {
      remedy: 'Send the request again, without pauses.',
    });
  }
  if (code === 'HPE_HEADER_OVERFLOW') {
    return new HttpProblem(431, 'HEADERS_TOO_LARGE', 'the headers are too large', {
      remedy: 'Send fewer or shorter headers.',
    });
  }
  return new HttpProblem(400, 'INVALID_REQUEST', 'this is not an HTTP request', {
    remedy: 'Use HTTP/1.1.',
  });
}
