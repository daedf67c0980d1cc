/** Operators' commands that were carried out, by id: the same command again gets the same answer. */
import { DEFAULTS } from '@mandate/schemas/core';

/** In the order in which they were carried out, so that the first is the first to be forgotten. */
export type Done<Answer> = Map<string, { readonly answer: Answer; readonly forgetAtMs: number }>;

/** A day at the least, however short ids are remembered: they are few, and no deadline ends them. */
export function commandMemoryMs(replayMemoryMs: number): number {
  return Math.max(replayMemoryMs, DEFAULTS.replayMemoryMs);
}

export function answerOf<Answer>(done: Done<Answer>, id: string, nowMs: number): Answer | undefined {
  const known = done.get(id);
  return known !== undefined && known.forgetAtMs > nowMs ? known.answer : undefined;
}

export function keepAnswer<Answer>(
  done: Done<Answer>,
  id: string,
  answer: Answer,
  times: { nowMs: number; forgetAtMs: number },
): void {
  for (const [oldest, { forgetAtMs }] of done) {
    if (forgetAtMs > times.nowMs) break;
    done.delete(oldest);
  }
  done.delete(id);
  done.set(id, { answer, forgetAtMs: times.forgetAtMs });
}
