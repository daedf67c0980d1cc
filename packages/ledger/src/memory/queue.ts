/** A queue: items are taken from the front. It frees the memory of taken items from time to time, not each time. */
export type Queue<T> = { items: T[]; head: number };

export function createQueue<T>(): Queue<T> {
  return { items: [], head: 0 };
}

export function lengthOf({ items, head }: Queue<unknown>): number {
  return items.length - head;
}

/** Removes the first `many` items, and puts the items of `by` there instead. */
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
