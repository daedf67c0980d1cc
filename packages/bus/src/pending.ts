/** Work that has begun and not ended yet: closing waits for it. */
export class Pending {
  readonly #begun = new Set<Promise<unknown>>();

  track<T>(work: Promise<T>): Promise<T> {
    const tracked = work.finally(() => this.#begun.delete(tracked));
    this.#begun.add(tracked);
    return tracked;
  }

  /** Resolves when everything begun so far has ended, well or badly. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#begun);
  }
}
