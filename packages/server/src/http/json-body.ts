/**
 * Bodies are JSON or empty, and are read as strictly as records: text that two readers could understand differently
 * is rejected. Most routes get the parsed value. A route with `config: { rawJson: true }` gets the bytes for its own
 * strict reader. Its `schema.body` then only documents the body.
 */
import type { IncomingMessage } from 'node:http';
import { CAPS, decodeText, type Json, type JsonCaps, JsonFault, placeOf, readJson } from '@mandate/schemas';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { BoundBodies } from './bound-bodies.ts';
import { HttpProblem } from './http-problem.ts';
import type { HttpServer } from './http-server-type.ts';
import { countBody } from './limit-throughput.ts';
import { notAsDescribed } from './problem-of-error.ts';
import { mustWait, turnOf } from './take-turns.ts';
import { readPart, validateRequests } from './validate-requests.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /**
     * True if the handler reads the bytes of the body with `takeRawBody(request)`. `if-any`: the request may have no
     * body. Then `request.body` is undefined.
     */
    rawJson?: boolean | 'if-any';
  }
}

const JSON_TYPE = /^application\/(?:[\w.-]+\+)?json(?:;|$)/;
const METHODS_WITH_BODY = new Set(['POST', 'PUT', 'PATCH']);
/**
 * The limits for bodies. The size of a body already limits its lists and texts. Only its depth needs another limit,
 * because parsing uses the stack.
 */
const OF_BODIES: JsonCaps = {
  depth: CAPS.bodyDepth,
  keys: Number.POSITIVE_INFINITY,
  elements: Number.POSITIVE_INFINITY,
  stringUnits: Number.POSITIVE_INFINITY,
};

/**
 * Returns the bytes of the body, on a route with `config: { rawJson: true }`. The bytes are never empty. The request
 * keeps no reference to them, because it may wait up to a minute for its answer.
 */
export function takeRawBody(request: FastifyRequest): Buffer {
  const { body } = request;
  if (!Buffer.isBuffer(body))
    throw new TypeError('takeRawBody is for routes with config.rawJson, once a request');
  request.body = undefined;
  return body;
}

export function acceptJsonBodies(server: HttpServer, bodies: BoundBodies): void {
  server.removeAllContentTypeParsers();
  server.addContentTypeParser(JSON_TYPE, async (request: FastifyRequest, payload: IncomingMessage) => {
    const body = await bodies.read(request, payload);
    countBody(request, body.length);
    if (mustWait(request)) await turnOf(request);
    if ((request.routeOptions.config.rawJson ?? false) !== false) return body;
    const value = parsed(body, request.method);
    // Parsing a large body takes a whole turn. Validating the value takes as long, so it waits for another turn.
    if (mustWait(request)) await turnOf(request);
    return value;
  });

  server.addHook('onRoute', (route) => {
    if (route.config?.rawJson !== true) return;
    route.validatorCompiler = ({ schema, ...part }) => {
      if (part.httpPart === 'body') return (value: unknown) => ({ value });
      if (!(schema instanceof z.ZodType)) throw new TypeError(`the schema of ${part.url} is not a zod type`);
      return validateRequests({ ...part, schema });
    };
  });
  server.addHook('onRequest', ({ headers }, _reply, done) => {
    const encoding = headers['content-encoding'];
    if (encoding === undefined || encoding === 'identity') {
      done();
      return;
    }
    throw new HttpProblem(415, 'UNSUPPORTED_ENCODING', `a body encoded as ${encoding} is not accepted`, {
      remedy: 'Send the body without content-encoding.',
    });
  });
  server.addHook('preValidation', (request, _reply, done) => {
    const { config } = request.routeOptions;
    const isRaw = config.rawJson === true && METHODS_WITH_BODY.has(request.method);
    if (isRaw && !(Buffer.isBuffer(request.body) && request.body.length > 0))
      throw invalidJson('it is empty');
    done();
  });
}

/**
 * Parses and validates the body of a route that reads its bytes itself. The rules are the same as for every other
 * route.
 *
 * @throws HttpProblem 400 INVALID_JSON or VALIDATION_FAILED
 */
export function readBody<T>(body: Uint8Array, schema: z.ZodType<T>): T {
  const read = readPart(schema, parsed(body, 'POST'));
  if (read.ok) return read.value;
  throw notAsDescribed(read.faults);
}

/** Returns the parsed body. Undefined if no body was sent and the method needs none. */
function parsed(body: Uint8Array, method: string): Json | undefined {
  const text = textOf(body);
  // curl may send a JSON content type without a body.
  if (text === '' && !METHODS_WITH_BODY.has(method)) return undefined;
  if (text === '') throw invalidJson('it is empty');
  try {
    return readJson(text, OF_BODIES);
  } catch (error) {
    throw error instanceof JsonFault ? notStrictJson(text, error) : error;
  }
}

function textOf(body: Uint8Array): string {
  const decoded = decodeText(body);
  if (decoded.ok) return decoded.text;
  throw invalidJson(`it is ${decoded.fault.message}`);
}

function invalidJson(why: string): HttpProblem {
  return new HttpProblem(400, 'INVALID_JSON', `the body is not acceptable JSON: ${why}`, {
    remedy: 'Send one JSON value in UTF-8. If there is nothing to send, leave content-type out.',
  });
}

function notStrictJson(text: string, { message, offset, remedy }: JsonFault): HttpProblem {
  const { line, column } = placeOf(text, offset);
  return new HttpProblem(
    400,
    'INVALID_JSON',
    `the body is not acceptable JSON: line ${line}, column ${column}: ${message}`,
    { remedy: `${remedy.charAt(0).toUpperCase()}${remedy.slice(1)}.` },
  );
}
