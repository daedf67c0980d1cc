/**
 * Group commit: items that several partitions add at about the same time are inserted in one flush. Flushes keep an
 * interval, because ClickHouse is slow with many small inserts. One flush runs at a time.
 */

export type GroupCommit<T> = {
  /**
   * Resolves once a flush with `item` has succeeded. Rejects with the error of this flush. If an item is not
   * `urgent`, it waits until `everyMs` have passed since the last flush began. The first item after a pause does not
   * wait.
   */
  add(item: T, urgent: boolean): Promise<void>;
};

type Waiting<T> = { item: T; urgent: boolean; done: PromiseWithResolvers<void> };

export function createGroupCommit<T>(
  flush: (items: readonly T[]) => Promise<void>,
  { everyMs }: { everyMs: number },
): GroupCommit<T> {
  let waiting: Waiting<T>[] = [];
  let isFlushing = false;
  let lastBeganMs = Number.NEGATIVE_INFINITY;
  let timer: NodeJS.Timeout | undefined;

  function schedule(): void {
    clearTimeout(timer);
    if (isFlushing || waiting.length === 0) return;
    const isUrgent = waiting.some(({ urgent }) => urgent);
    timer = setTimeout(
      () => void run(),
      isUrgent ? 0 : Math.max(0, lastBeganMs + everyMs - performance.now()),
    );
  }

  async function run(): Promise<void> {
    const gathered = waiting;
    waiting = [];
    isFlushing = true;
    lastBeganMs = performance.now();
    try {
      await flush(gathered.map(({ item }) => item));
      for (const { done } of gathered) done.resolve();
    } catch (error) {
      for (const { done } of gathered) done.reject(error);
    }
    isFlushing = false;
    schedule();
  }

  return {
    add(item, urgent) {
      const done = Promise.withResolvers<void>();
      waiting.push({ item, urgent, done });
      schedule();
      return done.promise;
    },
  };
}
