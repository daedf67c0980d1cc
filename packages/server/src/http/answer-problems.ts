/** Answers every error with a problem document, from any part of the server. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { AllowedMethods } from './allowed-methods.ts';
import { mustBeDelayed, refusalIsDue } from './delay-refusals.ts';
import { HttpProblem, problemDocument } from './http-problem.ts';
import type { HttpServer } from './http-server-type.ts';
import { problemOfError } from './problem-of-error.ts';

/** What a refusal looks like. */
type WrittenProblem = { headers: Readonly<Record<string, string>>; type?: string; body: object };
/** Shows a page if a browser opens an address that has no route. Null: browsers get a problem document too. */
type UnknownPage = { show: ((reply: FastifyReply) => Promise<FastifyReply>) | null };

declare module 'fastify' {
  interface FastifyInstance {
    unknownPage: UnknownPage;
  }
}

type WriteProblem = (problem: HttpProblem, request: FastifyRequest) => WrittenProblem;

export function answerProblems(server: HttpServer, allowedMethods: AllowedMethods): void {
  answerProblemsAs(server, asProblemDocument);
  server.decorate('unknownPage', { show: null });
  server.setNotFoundHandler((request, reply) => {
    const path = pathOf(request);
    const allow = allowedMethods.at(path);
    const { show } = server.unknownPage;
    if (show !== null && allow.length === 0 && isNavigation(request)) return show(reply);
    const problem =
      allow.length === 0 || allow.includes(request.method)
        ? new HttpProblem(404, 'NOT_FOUND', 'this path does not exist', {
            remedy: 'GET /openapi.json lists all paths.',
          })
        : new HttpProblem(405, 'METHOD_NOT_ALLOWED', `this path does not accept ${request.method}`, {
            remedy: `Use ${allow.join(' or ')}.`,
            headers: { allow: allow.join(', ') },
          });
    return sendProblem(problem, request, reply);
  });
}

/** True if a person opened the address in a browser. Routes of the API have no pages. */
function isNavigation(request: FastifyRequest): boolean {
  const { accept = '' } = request.headers;
  return request.method === 'GET' && accept.includes('text/html') && !pathOf(request).startsWith('/v1/');
}

/** From now on, the routes of this plugin answer errors in this form. Use it for the protocol of another server. */
export function answerProblemsAs(server: HttpServer, write: WriteProblem): void {
  server.setErrorHandler((error, request, reply) => {
    if (!mustBeDelayed(error, request)) return sendProblem(error, request, reply, write);
    return refusalIsDue().then(() => sendProblem(error, request, reply, write));
  });
}

/**
 * Answers an error, and logs it if the server is at fault. A fault is logged with all known facts. An intended
 * refusal of a route (not ready, stopping) is logged in one line. `authenticate` logs refused credentials.
 */
export function sendProblem(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  write: WriteProblem = asProblemDocument,
): FastifyReply {
  const problem = problemOfError(error);
  const { code, status, cause } = problem;
  if (status >= 500) {
    if (cause !== undefined) request.log.error({ err: cause, code }, 'request failed');
    // OVERLOADED has a low log level, because a caller that takes too much is refused often and would fill the log.
    else
      request.log[code === 'OVERLOADED' ? 'debug' : 'warn'](
        { code, detail: problem.message },
        'request not served',
      );
  }
  const { headers, type = 'application/json', body } = write(problem, request);
  return reply
    .code(problem.status)
    .headers({ ...problem.headers, ...headers })
    .type(type)
    .send(JSON.stringify(body));
}

function asProblemDocument(problem: HttpProblem, request: FastifyRequest): WrittenProblem {
  const body = problemDocument(problem, { requestId: request.id, instance: pathOf(request) });
  return { headers: {}, type: 'application/problem+json', body };
}

function pathOf(request: FastifyRequest): string {
  return request.url.split('?', 1)[0] ?? '/';
}
