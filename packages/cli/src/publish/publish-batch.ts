/** Sends records of one kind to the plane. A refusal names the records that caused it. */
import type { ApiClient } from '@mandate/client';
import type { Decision, Settlement } from '@mandate/schemas';
import { ApiProblem } from '../api-failure.ts';
import { CommandFailure } from '../exit-codes.ts';

/** `json`: the text as written. `place`: the file and line of the text, for people. */
export type Submission = { kind: 'action' | 'outcome'; json: string; place: string };

type PublishedAction = { actionId: string; decision: Decision | null; withheld: boolean };
type PublishedOutcome = { actionId: string; settlement: Settlement | null };
export type Published = PublishedAction | PublishedOutcome;

const PATHS = { action: '/v1/actions', outcome: '/v1/outcomes' } as const;

/**
 * Publishes all records of the batch, or none. All records of a batch have the same kind. @param before the number of
 * records that were sent before this batch
 */
export async function publishBatch(
  api: ApiClient,
  batch: readonly Submission[],
  { waitMs, before }: { waitMs: number; before: number },
): Promise<readonly Published[]> {
  const [first] = batch;
  if (first === undefined) return [];
  try {
    const { results } = await api.postText<{ results: readonly Published[] }>(
      PATHS[first.kind],
      // Each record is on its own line, so that the line of a fault identifies the record.
      `[${batch.map(({ json }) => json).join('\n,')}]`,
      { query: { waitMs } },
    );
    return results;
  } catch (error) {
    throw error instanceof ApiProblem ? placed(error, batch, before) : error;
  }
}

/** Returns the refusal as a failure that names the file and line of each bad record. */
function placed(problem: ApiProblem, batch: readonly Submission[], before: number): CommandFailure {
  const faults = problem.faults.flatMap(({ index, line = 0, pointer, detail = 'is bad' }) => {
    const place = batch[index ?? line - 1]?.place;
    return place === undefined ? [] : [`${place} ${pointer ? `${pointer}: ` : ''}${detail}`];
  });
  // A fault without an index has a line number of the request. The user has not seen the request.
  const unplaced = problem.faults.some(({ index }) => index === undefined) && faults.length > 0;
  const message = unplaced ? `a record cannot be read (${problem.code})` : problem.message;
  // The remedy of the plane is for one batch only. The user would think that it applies to the whole file.
  const remedy =
    before === 0
      ? problem.remedy
      : `The ${before} records before ${batch[0]?.place} are published: correct what is wrong, and send the rest from there on. Sent again, they are duplicates.`;
  return new CommandFailure(problem.exitCode, [message, ...faults].join('\n'), remedy);
}
