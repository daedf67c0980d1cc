/** What processes take of the machine's memory while they live, and whether that stays as it is. */
const MEBIBYTE = 1024 * 1024;

export type Sample = { atMs: number; bytes: number };

/** A process that is as large as this above what it was is no leak that could be told from collecting later. */
const ALLOWED = { factor: 1.25, bytes: 32 * MEBIBYTE };

/**
 * The median of the last quarter of its life against that of the second: the first is for warming up, and single
 * samples are as high as garbage happens to lie.
 * @returns what it grew from and to, in bytes; null when it lived too briefly to tell
 */
export function growth(samples: readonly Sample[]): { from: number; to: number; isFlat: boolean } | null {
  const [first, last] = [samples[0], samples.at(-1)];
  if (first === undefined || last === undefined || samples.length < 12) return null;
  const quarterMs = (last.atMs - first.atMs) / 4;
  const median = (quarter: number) => {
    const sizes = samples
      .filter(({ atMs }) => Math.min(3, Math.floor((atMs - first.atMs) / quarterMs)) === quarter)
      .map(({ bytes }) => bytes)
      .sort((one, other) => one - other);
    return sizes[Math.floor(sizes.length / 2)] ?? 0;
  };
  const [from, to] = [median(1), median(3)];
  return { from, to, isFlat: to <= Math.max(from * ALLOWED.factor, from + ALLOWED.bytes) };
}

/** Its resident set as it tells it; null while it does not answer. */
export async function residentBytes({ url }: { url: string }): Promise<number | null> {
  const metrics = await fetch(`${url}/metrics`, { signal: AbortSignal.timeout(1_000) })
    .then((answer) => answer.text())
    .catch(() => '');
  const [, bytes] = /^process_resident_memory_bytes\S* (\S+)$/m.exec(metrics) ?? [];
  return bytes === undefined ? null : Number(bytes);
}

export function inMebibytes(bytes: number): string {
  return `${Math.round(bytes / MEBIBYTE)} MiB`;
}
