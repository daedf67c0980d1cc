import { callerOf } from '@mandate/runtime';
import type { Reporter } from '@mandate/schemas';
import type { FastifyRequest } from 'fastify';

/** Whoever reports outcomes with this request, by the key that it shows. */
export function reporterOf(request: FastifyRequest): Reporter {
  const { id: keyId, scopes } = callerOf(request);
  return { keyId, mayRelease: scopes.includes('release') };
}
