import { id } from '@mandate/schemas';
import type { FastifyRequest } from 'fastify';
import { HttpProblem } from './http-problem.ts';

/**
 * Returns the Idempotency-Key header, or null. Throws INVALID_IDEMPOTENCY_KEY if the value cannot be stored
 * unchanged.
 */
export function idempotencyKeyOf(request: FastifyRequest): string | null {
  const given = request.headers['idempotency-key'];
  if (given === undefined) return null;
  const key = id.safeParse(given);
  if (key.success) return key.data;
  throw new HttpProblem(400, 'INVALID_IDEMPOTENCY_KEY', 'the header Idempotency-Key is not usable', {
    remedy: 'Send 1 to 200 printable characters without blanks.',
  });
}
