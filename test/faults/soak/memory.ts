/** What processes hold and take of memory while they live, and whether that stays as it is. */
const MEBIBYTE = 1024 * 1024;

export type Sample = { atMs: number; bytes: number };

/** Less than that is no growth that could be told from what lies about. */
const ALLOWED = { factor: 1.25, bytes: 32 * MEBIBYTE };

/**
 * What it held when it held least, in the last quarter of its life against the second; the first is for warming up. What
 * leaks stays, while what a ledger is folded from comes and goes, and is more each time.
 * @returns from and to in bytes; null when it lived too briefly to tell
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
    // One that is still lower may be an accident.
    return sizes[Math.floor(sizes.length / 10)] ?? 0;
  };
  const [from, to] = [least(1), least(3)];
  return { from, to, isFlat: to <= Math.max(from * ALLOWED.factor, from + ALLOWED.bytes) };
}

/** Its resident set as it tells it, with all that V8 and malloc keep of what it once took; null while it does not answer. */
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
