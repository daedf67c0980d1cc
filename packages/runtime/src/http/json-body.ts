/**
 * Bodies are JSON or nothing. Most routes get the parsed value; one that declares `config: { rawJson: true }` gets
 * the bytes, to read them with its own strict reader. Its `schema.body` then documents the body and checks nothing.
 */
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { HttpProblem } from './http-problem.ts';
import type { HttpServer } from './http-server-type.ts';
import { validateRequests } from './validate-requests.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The handler takes the body's bytes with `rawBody(request)`. */
    rawJson?: boolean;
  }
}

const JSON_TYPE = /^application\/(?:[\w.-]+\+)?json(?:;|$)/;
const METHODS_WITH_BODY = new Set(['POST', 'PUT', 'PATCH']);

/** The bytes of the body, on a route that declares `config: { rawJson: true }`. Never empty there. */
export function rawBody(request: FastifyRequest): Buffer {
  if (!Buffer.isBuffer(request.body)) throw new TypeError('rawBody is for routes with config.rawJson');
  return request.body;
}

export function acceptJsonBodies(server: HttpServer): void {
  const utf8 = new TextDecoder('utf-8', { fatal: true });
  const parseSafely = server.getDefaultJsonParser('error', 'error');

  server.removeAllContentTypeParsers();
  server.addContentTypeParser<Buffer>(JSON_TYPE, { parseAs: 'buffer' }, (request, body, done) => {
    if (request.routeOptions.config.rawJson === true) return done(null, body);
    let text: string;
    try {
      text = utf8.decode(body);
    } catch {
      return done(invalidJson('it is not UTF-8'));
    }
    // As curl sends it, whose header is of what it might have sent.
    if (text === '' && !METHODS_WITH_BODY.has(request.method)) return done(null, undefined);
    return parseSafely(request, text, (error, value) => {
      if (error === null) done(null, value);
      else done(invalidJson(whyNotJson(text)));
    });
  });

  server.addHook('onRoute', (route) => {
    if (route.config?.rawJson !== true) return;
    route.validatorCompiler = ({ schema, ...part }) => {
      if (part.httpPart === 'body') return (value: unknown) => ({ value });
      if (!(schema instanceof z.ZodType)) throw new TypeError(`the schema of ${part.url} is not a zod type`);
      return validateRequests({ ...part, schema });
    };
  });
  server.addHook('onRequest', async ({ headers }) => {
    const encoding = headers['content-encoding'];
    if (encoding === undefined || encoding === 'identity') return;
    throw new HttpProblem(415, 'UNSUPPORTED_ENCODING', `a body encoded as ${encoding} is not accepted`, {
      remedy: 'Send it without content-encoding.',
    });
  });
  server.addHook('preValidation', async (request) => {
    const { config } = request.routeOptions;
    if (config.rawJson !== true || !METHODS_WITH_BODY.has(request.method)) return;
    if (!Buffer.isBuffer(request.body) || request.body.length === 0) throw invalidJson('it is empty');
  });
}

function invalidJson(why: string): HttpProblem {
  return new HttpProblem(400, 'INVALID_JSON', `the body is not acceptable JSON: ${why}`, {
    remedy: 'Send one JSON value in UTF-8; where there is nothing to send, leave content-type out.',
  });
}

/** The safe parser does not say what it met; the plain one does. What only the safe one refuses is a poisoned key. */
function whyNotJson(text: string): string {
  if (text === '') return 'it is empty';
  try {
    JSON.parse(text);
    return 'a key named __proto__ or constructor is not allowed';
  } catch (error) {
    return error instanceof Error ? error.message : 'it cannot be parsed';
  }
}
