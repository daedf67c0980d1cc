/** A kill in the form in which answers show it: who pulled the switch and why, and who revived. */
import { kills } from '@mandate/audit';
import { time } from '@mandate/schemas';
import { z } from 'zod';

export const killFound = kills.row.omit({ revivedBy: true, revivedWhy: true, revivedAt: true }).extend({
  inForce: z.boolean().describe('No revive of the same switch is on record after this kill.'),
  revived: z
    .object({ by: z.string(), reason: z.string(), at: time })
    .nullable()
    .describe('The revive that ended this kill; null while the kill is in force.'),
});

export function shownKill(row: z.output<typeof kills.row>): z.output<typeof killFound> {
  const { revivedBy, revivedWhy, revivedAt, ...kill } = row;
  const revived =
    revivedAt === null ? null : { by: revivedBy ?? '', reason: revivedWhy ?? '', at: revivedAt };
  return { ...kill, inForce: revived === null, revived };
}
