/** Waits until a person has answered one of the questions of a step. */
import { ApiError } from '@mandate/client';
import type { RunEventOf } from '@mandate/schemas';
import type { Planes, TenantPlane } from '../plane/planes.ts';

type PersonsAnswer = 'granted' | 'denied' | 'expired';
type Question = RunEventOf<'step.deferred'>['waiting'][number];

/** Null: no person has answered yet, or the signal aborted. */
export type AwaitAnswer = (
  tenant: string,
  waiting: readonly Question[],
  signal: AbortSignal,
) => Promise<PersonsAnswer | null>;

/** How long one request waits for a person. */
const ONE_WAIT_MS = 5_000;
/** A step waits for a few questions at a time. After the first answer, it says again what it waits for. */
const MOST_WATCHED = 10;

export function awaitAnswer(planes: Planes): AwaitAnswer {
  return async (tenant, waiting, signal) => {
    const plane = planes.of(tenant);
    if (plane === null) return null;
    const questions = waiting.slice(0, MOST_WATCHED).map((question) => answerOf(plane, question));
    const first = Promise.race(
      questions.map(async (asked) => (await asked) ?? (await new Promise<never>(() => {}))),
    );
    const all = Promise.all(questions).then(() => null);
    return Promise.race([first, all, aborted(signal)]);
  };
}

/** Null: there is no answer within this request. */
async function answerOf(
  { client }: TenantPlane,
  { agentId, actionId }: Question,
): Promise<PersonsAnswer | null> {
  const path = `/v1/actions/${encodeURIComponent(actionId)}`;
  try {
    const { approval } = await client.get<{ approval: { state: PersonsAnswer | 'waiting' } | null }>(path, {
      agentId,
      waitMs: ONE_WAIT_MS,
    });
    // A question that is no longer known was answered, or its memory ended. The step asks again.
    const state = approval?.state ?? 'granted';
    return state === 'waiting' ? null : state;
  } catch (error) {
    if (error instanceof ApiError && error.code === 'DECISION_NOT_FOUND') return null;
    throw error;
  }
}

function aborted(signal: AbortSignal): Promise<null> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(null);
    else signal.addEventListener('abort', () => resolve(null), { once: true });
  });
}
