/** An operator's command: author and id come from the request, and personal data is removed from the reason. */
import { createHash, randomBytes } from 'node:crypto';
import type { Command } from '@mandate/ledger';
import { sortableId } from '@mandate/schemas';
import { callerOf, type HttpRequest, idempotencyKeyOf } from '@mandate/server';
import type { Gateway } from '../gateway.ts';

/**
 * @param what identifies the command, except for `reason`, which is only its text. With an Idempotency-Key, the id is
 *   computed from the key, the caller's tenant, `prefix` and `parts`. So a repeated command has the same id. The same
 *   key with other `parts` gives another id. Ledger and log then never disagree about what an id did.
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
