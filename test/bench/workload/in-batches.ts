/**
 * Handles the items in batches of `size`, with at most `atOnce` batches in progress. The next batch begins when a
 * batch has ended.
 */
export async function inBatches<T>(
  items: readonly T[],
  { size, atOnce }: { size: number; atOnce: number },
  handle: (batch: readonly T[]) => Promise<unknown>,
): Promise<void> {
  let from = 0;
  const work = async () => {
    while (from < items.length) {
      const batch = items.slice(from, from + size);
      from += size;
      await handle(batch);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
}
