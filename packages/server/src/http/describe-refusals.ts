/** The refusals that a caller of a route must expect, each with an example of the answer. */

import { type ApiScope, sayIssue } from '@mandate/schemas';
import type { RouteOptions } from 'fastify';
import { forbidden, tooManyRequests, unauthenticated } from './authenticate.ts';
import { type HttpProblem, problemDocument } from './http-problem.ts';
import { bodyTooLarge, notAsDescribed, unsupportedMediaType } from './problem-of-error.ts';
import { isStopping } from './request-context.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Other refusals of the route itself, by status, with the reason in words for the description. */
    refusals?: Readonly<Record<number, string>>;
  }
}

const REQUEST_ID = '5f2c0d5e-3c5b-4c1e-9f0a-7f6f6f1c2b3a';

/**
 * Returns refusals by status; `default` is for faults. @param said `scopes`: null if no key is needed; `bodyLimit` in
 * bytes
 */
export function refusals(
  { url, schema = {}, config = {} }: RouteOptions,
  { scopes, bodyLimit }: { scopes: readonly ApiScope[] | null; bodyLimit: number | undefined },
): Record<string, object> {
  const { params, querystring, body } = schema;
  const unreadable = querystring
    ? unknownName('querystring', querystring)
    : body
      ? unknownName('body', body)
      : badPath(url);
  const refusal = (description: string, problem?: HttpProblem) => {
    const example = problem && problemDocument(problem, { requestId: REQUEST_ID, instance: url });
    return {
      description,
      content: {
        'application/problem+json': {
          schema: { $ref: '#/components/schemas/Problem' },
          ...(example && { example }),
        },
      },
    };
  };
  return {
    ...((params ?? querystring ?? body) !== undefined && {
      400: refusal('The request does not match its description. `errors` names every fault.', unreadable),
    }),
    ...(scopes !== null && {
      401: refusal('The request has no API key, or a key that is not valid here.', unauthenticated(null)),
      403: refusal('The key lacks the scope, or may not act for this tenant or agent.', forbidden(scopes)),
      429: refusal(
        'The key sends too many requests. Try again after `retry-after` seconds.',
        tooManyRequests(1),
      ),
    }),
    ...(body !== undefined && {
      413: refusal('The body is too large.', bodyTooLarge(bodyLimit)),
      415: refusal('The body is not plain JSON.', unsupportedMediaType()),
    }),
    ...Object.fromEntries(
      Object.entries(config.refusals ?? {}).map(([status, why]) => [status, refusal(why)]),
    ),
    503: refusal(
      'Something that the service needs does not answer now. Try again after `retry-after` seconds.',
      isStopping(),
    ),
    default: refusal('Any other problem. `code` names it.'),
  };
}

function unknownName(part: 'querystring' | 'body', schema: unknown): HttpProblem {
  const detail = sayIssue({ code: 'unrecognized_keys', keys: ['colour'], inst: schema } as never);
  return notAsDescribed([{ pointer: '/colour', detail: String(detail) }], part);
}

function badPath(url: string): HttpProblem {
  const name = /:(\w+)/.exec(url)?.[1] ?? '';
  return notAsDescribed([{ pointer: `/${name}`, detail: 'must not be empty' }], 'params');
}
