/**
 * Makes the changes of a plan, one after the other. A change is refused if its document changed after the plan was
 * made.
 */
import type { ApiClient } from '@mandate/client';
import type { Change } from '@mandate/control/plan';
import { ApiProblem } from '../api-failure.ts';
import { CommandFailure } from '../exit-codes.ts';
import { counted } from '../output/for-people.ts';
import { PATHS } from './current-documents.ts';

/**
 * Throws a failure that names the refused or lost change and the number of changes made.
 *
 * @param options.done called after each change that was made
 */
export async function makeChanges(
  api: Pick<ApiClient, 'put' | 'delete'>,
  changes: readonly Change[],
  { reason, done }: { reason: string | undefined; done: (change: Change) => Promise<void> },
): Promise<void> {
  for (const [made, change] of changes.entries()) {
    try {
      await make(api, change, reason);
    } catch (error) {
      throw error instanceof CommandFailure ? stoppedAt(change, error, made, changes.length) : error;
    }
    await done(change);
  }
}

async function make(
  api: Pick<ApiClient, 'put' | 'delete'>,
  { kind, id, after, revision }: Change,
  reason: string | undefined,
): Promise<void> {
  const path = `${PATHS[kind]}/${encodeURIComponent(id)}`;
  const how = { query: { reason }, revision };
  if (after === null) await api.delete(path, how);
  else await api.put(path, after, how);
}

const SEEN_TOO_LATE =
  'Another person or program has changed the document. Run the command again: it reads the plane again.';

function stoppedAt(
  { kind, id }: Change,
  error: CommandFailure,
  made: number,
  planned: number,
): CommandFailure {
  // Without a refusal from the plane, the change may still have been made.
  const isRefused = error instanceof ApiProblem && error.status < 500;
  const left = planned - made;
  const rest = isRefused ? `${left} not` : `${left - 1} not made, and the result of this change is unknown`;
  return new CommandFailure(
    error.exitCode,
    `the ${kind} "${id}": ${error.message}; ${counted(made, 'change')} made, ${rest}`,
    isRefused && error.code === 'REVISION_CONFLICT' ? SEEN_TOO_LATE : error.remedy,
  );
}
