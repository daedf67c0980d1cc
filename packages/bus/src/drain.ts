/** Waits until all promises of `work` have settled, but no longer than `mostMs`. */
export async function drain(work: readonly Promise<void>[], mostMs: number): Promise<void> {
  const { promise: late, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, mostMs);
  await Promise.race([Promise.allSettled(work), late]);
  clearTimeout(timer);
}
