/** Samples the memory of processes while they run, and tells whether it grows. */
const MEBIBYTE = 1024 * 1024;

export type Sample = { atMs: number; bytes: number };

/** Growth up to this factor, and growth up to this number of bytes, may be noise. Only more than both counts. */
const ALLOWED = { factor: 1.25, bytes: 32 * MEBIBYTE };

/**
 * Compares the lowest memory in the second quarter of a process's life with the lowest memory in the last quarter. In
 * the first quarter the process warms up. A leak raises the lowest value. A rebuild does not, because its memory is
 * released again.
 * @returns `from` and `to` in bytes; null if the process ran too briefly
 */
export function growth(samples: readonly Sample[]): { from: number; to: number; isFlat: boolean } | null {
  const [first, last] = [samples[0], samples.at(-1)];
  if (first === undefined || last === undefined || samples.length < 12) return null;
  const quarterMs = (last.atMs - first.atMs) / 4;
  const least = (quarter: number) => {
    const sizes = samples
      .filter(({ atMs }) => Math.min(3, Math.floor((atMs - first.atMs) / quarterMs)) === quarter)
      .map(({ bytes }) => bytes)
      .sort((one, other) => one - other);
    // The tenth percentile, because the very lowest value may be an accident.
    return sizes[Math.floor(sizes.length / 10)] ?? 0;
  };
  const [from, to] = [least(1), least(3)];
  return { from, to, isFlat: to <= Math.max(from * ALLOWED.factor, from + ALLOWED.bytes) };
}

/**
 * Returns the resident set of the process by its own metric. It includes memory that V8 and malloc keep. Null if the
 * process does not answer.
 */
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
