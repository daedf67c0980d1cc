/**
 * Chooses the problem document for an error. An error that is not listed here is an internal error, and the caller
 * learns nothing about it.
 */

import { MandateError } from '@mandate/runtime';
import type { FastifyError } from 'fastify';
import { HttpProblem } from './http-problem.ts';
import { RequestFault, type RequestFaultAt } from './validate-requests.ts';

export function problemOfError(error: unknown): HttpProblem {
  if (error instanceof HttpProblem) return error;
  if (error instanceof MandateError) return problemOfMandateError(error);
  if (error instanceof RequestFault) return notAsDescribed(error.faults, error.validationContext);
  if (!(error instanceof Error)) return internalProblem(error);
  return problemOfFrameworkError(error) ?? internalProblem(error);
}

/**
 * Explains a temporary failure to the caller. Any other failure is for the operator, and its text may contain paths
 * and hosts. So the caller gets only the code.
 */
function problemOfMandateError(error: MandateError): HttpProblem {
  if (!error.retryable) return internalProblem(error, error.code);
  const { code, message, remedy } = error;
  return new HttpProblem(503, code, message, { remedy, headers: { 'retry-after': '1' }, cause: error });
}

export function internalProblem(cause: unknown, code = 'INTERNAL_ERROR'): HttpProblem {
  return new HttpProblem(500, code, 'the request could not be answered because of a fault in this server', {
    remedy: 'Send the request id to the operator. The log of this server has more details.',
    cause,
  });
}

/** The parts of a request: fastify's names and the names in OpenAPI. */
const PLACES: Readonly<Record<string, string>> = {
  params: 'path',
  querystring: 'query',
  headers: 'header',
  body: 'body',
};

export function notAsDescribed(faults: readonly RequestFaultAt[], part = 'body'): HttpProblem {
  const place = PLACES[part] ?? 'request';
  const errors = faults.map((fault) => ({ in: place, ...fault }));
  const [first] = faults;
  const detail = first === undefined ? 'not valid' : `${first.pointer || 'it'}: ${first.detail}`;
  return new HttpProblem(400, 'VALIDATION_FAILED', `the ${place} is not as described: ${detail}`, {
    remedy: 'Correct every place in `errors`. GET /openapi.json describes the request.',
    extension: { errors },
  });
}

function problemOfFrameworkError(error: Partial<FastifyError>): HttpProblem | null {
  switch (error.code) {
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return unsupportedMediaType();
    case 'FST_ERR_BAD_URL':
      return new HttpProblem(400, 'INVALID_URL', 'the path is not a valid URL', {
        remedy: 'Percent-encode the path as UTF-8.',
      });
    case 'FST_ERR_MAX_PARAM_LENGTH':
      return new HttpProblem(414, 'INVALID_URL', 'a part of the path is too long', { remedy: 'Shorten it.' });
    default:
      return clientFault(error);
  }
}

export function bodyTooLarge(limit: number | undefined): HttpProblem {
  return new HttpProblem(413, 'BODY_TOO_LARGE', `the body has more than ${limit} bytes`, {
    remedy: 'Send less at a time.',
  });
}

export function unsupportedMediaType(): HttpProblem {
  return new HttpProblem(415, 'UNSUPPORTED_MEDIA_TYPE', 'only JSON is accepted', {
    remedy: 'Send JSON with the header content-type: application/json.',
  });
}

/** Returns the problem for other refusals of the framework. Their texts are written for callers. */
function clientFault({ statusCode, message = '' }: Partial<FastifyError>): HttpProblem | null {
  if (statusCode === undefined || statusCode < 400 || statusCode > 499) return null;
  return new HttpProblem(statusCode, 'INVALID_REQUEST', message, {
    remedy: 'Correct the request. GET /openapi.json describes it.',
  });
}
