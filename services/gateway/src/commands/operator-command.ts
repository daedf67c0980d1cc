/** Who commands, under which id: taken from the request, the same for every command of an operator. The reason without what is personal in it. */
import { createHash, randomBytes } from 'node:crypto';
import type { Command } from '@mandate/ledger';
import { sortableId } from '@mandate/schemas';
import { callerOf, type HttpRequest, idempotencyKeyOf } from '@mandate/server';
import type { Gateway } from '../gateway.ts';

/**
 * @param what everything that makes two commands the same one, apart from the wording of the reason. With an
 *   Idempotency-Key the id is a function of it, of the caller's tenant and of `what`: repeated, the command is the same
 *   command; the same key with anything else in `what` is another one, so that ledger and log never disagree on what
 *   an id did.
 */
export function operatorCommand(
  request: HttpRequest,
  { clock, redactText }: Pick<Gateway, 'clock' | 'redactText'>,
  what: { prefix: string; parts: readonly unknown[]; reason: string },
): Command {
  const { id, name, tenant } = callerOf(request);
  const key = idempotencyKeyOf(request);
  const text = JSON.stringify([tenant, what.prefix, what.parts, key]);
  return {
    id:
      key === null
        ? sortableId(what.prefix, clock(), randomBytes(10).toString('hex'))
        : `${what.prefix}_${createHash('sha256').update(text).digest('hex').slice(0, 40)}`,
    by: `${name} (${id})`,
    reason: redactText(what.reason),
  };
}
