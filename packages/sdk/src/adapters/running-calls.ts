/** The calls that run, for frameworks that report the start and the end of a call in two places. */
import type { RunningAction, RunningOutcome } from '../types.ts';

/** The maximum number of calls that may run at once. The lease settles a call that was forgotten. */
const MOST_RUNNING = 100_000;

export class RunningCalls {
  readonly #running = new Map<string, RunningAction>();

  /** Remembers a call that starts. At the limit, the oldest call is forgotten. */
  started(key: string, running: RunningAction): void {
    this.#running.set(key, running);
    if (this.#running.size > MOST_RUNNING) this.forget(this.#running.keys().next().value as string);
  }

  get(key: string): RunningAction | undefined {
    return this.#running.get(key);
  }

  /** Settles a call. A forgotten call is settled by its lease. */
  async ended(key: string, outcome: RunningOutcome): Promise<void> {
    const running = this.#running.get(key);
    this.forget(key);
    await running?.settle(outcome);
  }

  /** Forgets a call, so that its lease settles it. */
  forget(key: string): void {
    this.#running.delete(key);
  }
}
