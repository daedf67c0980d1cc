/** Waits until a person has answered one of the questions of a step. */
import type { PersonsAnswer } from '@mandate/agent-manifest';
import { ApiError } from '@mandate/client';
import type { RunEventOf } from '@mandate/schemas';
import { planeFailure } from '../plane/plane-failure.ts';
import type { Planes, TenantPlane } from '../plane/planes.ts';

type Question = RunEventOf<'step.deferred'>['waiting'][number];

/**
 * Null: no person has answered yet, or the signal aborted.
 *
 * @param withinMs how long to wait at most. An answer that already exists is found in any case
 */
export type AwaitAnswer = (
  tenant: string,
  waiting: readonly Question[],
  how: { withinMs: number; signal: AbortSignal },
) => Promise<PersonsAnswer | null>;

/** How long one request waits for a person. */
const ONE_WAIT_MS = 5_000;
/**
 * The maximum number of questions for which a step waits at a time. After the first answer, the step states its
 * questions again.
 */
const MOST_WATCHED = 10;

export function awaitAnswer(planes: Planes): AwaitAnswer {
  return async (tenant, waiting, { withinMs, signal }) => {
    const plane = planes.of(tenant);
    if (plane === null) return null;
    const waitMs = Math.ceil(Math.min(ONE_WAIT_MS, Math.max(0, withinMs)));
    const questions = waiting.slice(0, MOST_WATCHED).map((question) => answerOf(plane, question, waitMs));
    const first = Promise.race(
      questions.map(async (asked) => (await asked) ?? (await new Promise<never>(() => {}))),
    );
    const all = Promise.all(questions).then(() => null);
    return Promise.race([first, all, aborted(signal)]);
  };
}

/**
 * Null: there is no answer within this request. The plane reads the question from the id, so it finds the answer even
 * after a restart.
 */
async function answerOf(
  { client }: TenantPlane,
  { approvalId, isExpired }: Question,
  waitMs: number,
): Promise<PersonsAnswer | null> {
  const path = `/v1/approvals/${encodeURIComponent(approvalId)}/answer`;
  try {
    const { state } = await client.get<{ state: 'waiting' | 'granted' | 'denied' | 'expired' }>(path, {
      waitMs,
    });
    // The step already knows that the approval expired, and waits for another approval.
    const isOpen = state === 'waiting' || (state === 'expired' && isExpired === true);
    return isOpen ? null : state;
  } catch (error) {
    // The action was decided after the question, or the plane no longer remembers the question.
    if (error instanceof ApiError && error.code === 'APPROVAL_NOT_FOUND') return 'forgotten';
    throw planeFailure(error);
  }
}

function aborted(signal: AbortSignal): Promise<null> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(null);
    else signal.addEventListener('abort', () => resolve(null), { once: true });
  });
}
