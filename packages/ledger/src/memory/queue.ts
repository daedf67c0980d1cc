/** A queue. The memory of removed items is freed from time to time, not at each removal. */
export type Queue<T> = { items: T[]; head: number };

export function createQueue<T>(): Queue<T> {
  return { items: [], head: 0 };
}

export function lengthOf({ items, head }: Queue<unknown>): number {
  return items.length - head;
}

/** Replaces the first `many` items of the queue by the items of `by`. */
export function replaceFirst<T>(queue: Queue<T>, many: number, by: readonly T[] = []): void {
  const head = queue.head + many - by.length;
  by.forEach((item, at) => {
    queue.items[head + at] = item;
  });
  queue.head = head;
  if (head <= 1_000 || head * 2 <= queue.items.length) return;
  queue.items = queue.items.slice(head);
  queue.head = 0;
}
