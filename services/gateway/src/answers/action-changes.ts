/**
 * Wakes requests that wait for a change of one action: a decision, or a person's answer to a question. A change
 * carries no data. The request reads the action again.
 */
export class ActionChanges {
  readonly #waiting = new Map<string, Set<() => void>>();
  #isClosed = false;

  tell(tenant: string, actionId: string): void {
    for (const wake of [...(this.#waiting.get(keyOf(tenant, actionId)) ?? [])]) wake();
  }

  /**
   * Listens from now on, so that no change is missed while the caller reads the action. `next` resolves to true after
   * a change. It resolves to false after `waitMs`, after `gone` aborts, or after `close`.
   */
  listen(tenant: string, actionId: string): Listening {
    const key = keyOf(tenant, actionId);
    let isChanged = false;
    let resolveNext: (() => void) | null = null;
    const wake = () => {
      isChanged = true;
      resolveNext?.();
    };
    const wakes = this.#waiting.get(key);
    if (wakes === undefined) this.#waiting.set(key, new Set([wake]));
    else wakes.add(wake);
    return {
      next: async (waitMs, gone) => {
        if (this.#isClosed || gone.aborted) return false;
        if (!isChanged && waitMs > 0) await waited(waitMs, gone, (resolve) => (resolveNext = resolve));
        resolveNext = null;
        const changed = isChanged && !this.#isClosed;
        isChanged = false;
        return changed;
      },
      stop: () => this.#unlist(key, wake),
    };
  }

  /** Wakes every waiting request, so that it reads its action a last time. */
  close(): void {
    this.#isClosed = true;
    for (const wakes of [...this.#waiting.values()]) for (const wake of [...wakes]) wake();
  }

  #unlist(key: string, wake: () => void): void {
    const wakes = this.#waiting.get(key);
    wakes?.delete(wake);
    if (wakes?.size === 0) this.#waiting.delete(key);
  }
}

export type Listening = {
  next(waitMs: number, gone: AbortSignal): Promise<boolean>;
  /** Stops listening. A request must call this however it ends. */
  stop(): void;
};

function waited(waitMs: number, gone: AbortSignal, begin: (resolve: () => void) => void): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      gone.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, waitMs);
    gone.addEventListener('abort', end);
    begin(end);
  });
}

function keyOf(tenant: string, actionId: string): string {
  return `${tenant}/${actionId}`;
}
