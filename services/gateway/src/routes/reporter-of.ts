import { callerOf } from '@mandate/runtime';
import type { Reporter } from '@mandate/schemas';
import type { FastifyRequest } from 'fastify';

/** The reporter of the outcomes in this request, by its API key. */
export function reporterOf(request: FastifyRequest): Reporter {
  const { id: keyId, scopes } = callerOf(request);
  return { keyId, mayRelease: scopes.includes('release') };
}
