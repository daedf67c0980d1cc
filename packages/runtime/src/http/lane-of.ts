import type { FastifyRequest } from 'fastify';
import type { Lane } from '../fair-queue.ts';

/** In which lane the work for a request waits for its turns: tenants come equally often, and within one its keys. */
export function laneOf({ principalKey }: FastifyRequest): Lane {
  return ['requests', principalKey?.tenant ?? '', principalKey?.id ?? ''];
}
