/** Waits longer after each failure. A wait does not keep the process alive, and can be cut short. */
const FIRST_MS = 100;
const LONGEST_MS = 30_000;

export class Backoff {
  #nextMs = FIRST_MS;
  #end: (() => void) | null = null;

  wait(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, this.#nextMs);
    timer.unref();
    this.#nextMs = Math.min(2 * this.#nextMs, LONGEST_MS);
    this.#end = () => {
      clearTimeout(timer);
      resolve();
    };
    return promise;
  }

  /** Ends the wait that is running, if there is one. */
  skip(): void {
    this.#end?.();
  }

  reset(): void {
    this.#nextMs = FIRST_MS;
  }
}
