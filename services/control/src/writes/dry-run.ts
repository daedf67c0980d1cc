/**
 * Answers a write with `dryRun=true`: what the change would do. The control thread tries the change on a copy of the
 * tenant, so nothing is changed or recorded.
 */
import type { ControlChange } from '@mandate/control/lint';
import type { z } from 'zod';
import type { Control } from '../control.ts';
import type { wouldChange } from '../routes/would-change.ts';
import { type Asked, type ChangeOptions, recordOf } from './carry-out.ts';

export type WouldChange = z.output<typeof wouldChange>;

/**
 * Returns what the change would do. Null if the request is no dry run.
 *
 * @throws HttpProblem the refusal that the change would get
 */
export async function dryRunOf(
  control: Control,
  request: Asked,
  what: ControlChange,
  options: ChangeOptions = {},
): Promise<WouldChange | null> {
  if (!request.query.dryRun) return null;
  const record = recordOf(control, request, what, options);
  const { tenant } = record.change;
  const fileKeys = await control.fileKeys(tenant);
  const job = { kind: 'try change' as const, tenant, atMs: control.clock(), record, fileKeys };
  return JSON.parse(await control.apart.answer(request, job));
}
