/** Sends records of one kind to the plane. A refusal names the record that it is about. */

import type { ApiClient } from '@mandate/client';
import type { Decision, Settlement } from '@mandate/schemas';
import { ApiProblem } from '../api-failure.ts';
import { CommandFailure } from '../exit-codes.ts';

/** `json`: the text as written. `place`: its place in the file, for people. */
export type Submission = { kind: 'action' | 'outcome'; json: string; place: string };

type PublishedAction = { actionId: string; decision: Decision | null; withheld: boolean };
type PublishedOutcome = { actionId: string; settlement: Settlement | null };
export type Published = PublishedAction | PublishedOutcome;

const PATHS = { action: '/v1/actions', outcome: '/v1/outcomes' } as const;

/** All of the batch, which is of one kind, is published or nothing. @param before how many records were sent before it */
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
      // A line a record: so a fault that has only a line has a record.
      `[${batch.map(({ json }) => json).join('\n,')}]`,
      { query: { waitMs } },
    );
    return results;
  } catch (error) {
    throw error instanceof ApiProblem ? placed(error, batch, before) : error;
  }
}

/** The refusal, with the places of the records that it is about. */
function placed(problem: ApiProblem, batch: readonly Submission[], before: number): CommandFailure {
  const faults = problem.faults.flatMap(({ index, line = 0, pointer, detail = 'is bad' }) => {
    const place = batch[index ?? line - 1]?.place;
    return place === undefined ? [] : [`${place} ${pointer ? `${pointer}: ` : ''}${detail}`];
  });
  // Without an index the place is one in the list as it was sent, which the user has not seen.
  const unplaced = problem.faults.some(({ index }) => index === undefined) && faults.length > 0;
  const message = unplaced ? `a record cannot be read (${problem.code})` : problem.message;
  // What the plane says of its list would be taken for the whole file.
  const remedy =
    before === 0
      ? problem.remedy
      : `The ${before} records before ${batch[0]?.place} are published: correct what is wrong, and send the rest from there on. Sent again, they are duplicates.`;
  return new CommandFailure(problem.exitCode, [message, ...faults].join('\n'), remedy);
}
