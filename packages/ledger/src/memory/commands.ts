/** Operators' commands that were carried out, by id. A repeated command gets the same answer. */
import { DEFAULTS } from '@mandate/schemas/core';

/** The commands in the order of execution, so that the first is forgotten first. */
export type Done<Answer> = Map<string, { readonly answer: Answer; readonly forgetAtMs: number }>;

/**
 * Returns how long commands are remembered: at least a day, even if ids are remembered for less. Commands are few,
 * and have no deadline.
 */
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
