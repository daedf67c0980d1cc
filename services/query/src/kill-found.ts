/** Converts a kill into the form of answers: who pulled the switch and why, and who revived. */
import { kills } from '@mandate/audit';
import { described, time } from '@mandate/schemas';
import { z } from 'zod';

export const killFound = kills.row.omit({ revivedBy: true, revivedWhy: true, revivedAt: true }).extend({
  inForce: described(
    z.boolean(),
    'Whether the kill still holds: no revive of the same switch came after it.',
    true,
  ),
  revived: described(
    z
      .object({
        by: described(z.string(), 'The person or the API key that revived it.', 'key:ops-laptop'),
        reason: described(z.string(), 'Why, in the words of the operator.', 'the loop is fixed'),
        at: described(time, 'When it was revived.'),
      })
      .nullable(),
    'The revive that ended the kill. null: the kill still holds.',
  ),
});

export type KillFound = z.output<typeof killFound>;

export function shownKill(row: z.output<typeof kills.row>): KillFound {
  const { revivedBy, revivedWhy, revivedAt, ...kill } = row;
  const revived =
    revivedAt === null ? null : { by: revivedBy ?? '', reason: revivedWhy ?? '', at: revivedAt };
  return { ...kill, inForce: revived === null, revived };
}
