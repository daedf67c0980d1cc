/** Runs a limited number of tasks at one time. The others wait in their order, for a limited time. */
import { MandateError } from '@mandate/runtime/errors';

export class Semaphore {
  readonly #most: { running: number; waiting: number };
  readonly #waiting = new Set<() => void>();
  #running = 0;

  constructor(most: { running: number; waiting: number }) {
    this.#most = most;
  }

  /**
   * @param untilMs when the task must have begun, by `performance.now()`
   * @throws MandateError TOO_MANY_CALLS
   */
  async run<T>(untilMs: number, task: () => Promise<T>): Promise<T> {
    if (this.#running >= this.#most.running) await this.#wait(untilMs);
    else this.#running += 1;
    try {
      return await task();
    } finally {
      const [next] = this.#waiting;
      // The place passes to the next task, so the number of running tasks stays the same.
      if (next === undefined) this.#running -= 1;
      else next();
    }
  }

  #wait(untilMs: number): Promise<void> {
    const { waiting } = this.#most;
    if (this.#waiting.size >= waiting) throw tooMany(`${waiting} calls wait already`);
    return new Promise((resolve, reject) => {
      const begin = () => {
        this.#waiting.delete(begin);
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(
        () => {
          this.#waiting.delete(begin);
          reject(tooMany('its turn did not come in time'));
        },
        Math.max(0, untilMs - performance.now()),
      );
      this.#waiting.add(begin);
    });
  }
}

function tooMany(why: string): MandateError {
  return new MandateError('TOO_MANY_CALLS', `The call was not sent: ${why}.`, {
    remedy: 'Make fewer calls at one time.',
    retryable: true,
  });
}
