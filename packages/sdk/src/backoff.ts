/** The pauses between attempts. Each is twice as long as the one before it, until an attempt succeeds. */
export class Backoff {
  readonly #firstMs: number;
  readonly #longestMs: number;
  #failures = 0;

  constructor(firstMs: number, longestMs: number) {
    this.#firstMs = firstMs;
    this.#longestMs = longestMs;
  }

  /** True if there was no pause since the last success. */
  get isFirst(): boolean {
    return this.#failures === 0;
  }

  /** Returns the next pause. Its length varies, so that many processes do not try again at the same moment. */
  nextMs(): number {
    const longest = Math.min(this.#longestMs, this.#firstMs * 2 ** this.#failures);
    this.#failures += 1;
    return longest * (0.5 + Math.random() / 2);
  }

  reset(): void {
    this.#failures = 0;
  }
}

/** The longest time of a timer. A longer timer would fire at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/**
 * Resolves after the time, or when the signal aborts. If the time is already over, it resolves at once.
 *
 * @param isBackground true if no caller waits. The pause then does not keep the process alive
 */
export function sleep(ms: number, signal: AbortSignal, { isBackground = false } = {}): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, Math.min(Math.max(0, ms), LONGEST_TIMER_MS));
    if (isBackground) (timer as { unref?(): void }).unref?.();
    signal.addEventListener('abort', end);
    if (signal.aborted) end();
  });
}
