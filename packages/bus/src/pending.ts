/** Work that has begun and not yet ended. A close waits for this work. */
export class Pending {
  readonly #begun = new Set<Promise<unknown>>();

  track<T>(work: Promise<T>): Promise<T> {
    const tracked = work.finally(() => this.#begun.delete(tracked));
    this.#begun.add(tracked);
    return tracked;
  }

  /** Resolves when all started work has ended, with or without an error. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#begun);
  }
}
