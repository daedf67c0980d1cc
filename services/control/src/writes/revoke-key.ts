/**
 * Revokes a key that is on the log. A key of the data folder is not on the log. The refusal then says how to revoke
 * such a key.
 */

import type { ControlChange } from '@mandate/control/lint';
import { callerOf, HttpProblem, type HttpReply } from '@mandate/server';
import type { Control } from '../control.ts';
import { type Asked, carryOut } from './carry-out.ts';
import { dryRunOf, type WouldChange } from './dry-run.ts';

type Revocation = Extract<ControlChange, { event: 'key.revoked' | 'role.revoked' }>;

/**
 * Returns the revision of the change, or what a dry run would change.
 *
 * @throws HttpProblem 404 KEY_NOT_FOUND. Only callers of the key's tenant are told that the key is in the data folder
 */
export async function revokeKey(
  control: Control,
  request: Asked,
  reply: HttpReply,
  what: Revocation,
): Promise<{ revision: number } | WouldChange> {
  try {
    const dry = await dryRunOf(control, request, what);
    if (dry !== null) return dry;
    const { revision } = await carryOut(control, request, reply, what);
    return { revision };
  } catch (error) {
    if (!(error instanceof HttpProblem) || error.status !== 404) throw error;
    const ofFolder = await control.fileKeys(callerOf(request).tenant);
    if (!ofFolder.some(({ id, revokedAt }) => id === what.keyId && revokedAt === null)) throw error;
    throw new HttpProblem(
      404,
      'KEY_NOT_FOUND',
      `the key "${what.keyId}" was issued on the host of the plane`,
      {
        remedy: `Ask the owner of the machine to run \`mandate keys revoke ${what.keyId}\` there.`,
      },
    );
  }
}
