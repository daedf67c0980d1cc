/**
 * Handles the items in batches of `size`. At most `atOnce` batches are in progress at the same time. When a batch
 * ends, the next batch begins.
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
