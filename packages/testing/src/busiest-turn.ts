/**
 * Measures the longest turn of the event loop, in CPU time of its thread. Other programs, and helper threads that
 * compile or collect garbage, do not count. Wall-clock time would depend more on the machine than on Mandate.
 */

/**
 * The longest time, in ms, that a request may wait for another request, on the machine of docs/benchmarks.md. On a
 * slower machine the limit is proportionally higher.
 */
export const MOST_BUSY_MS = 50;

/** The time that the machine of docs/benchmarks.md takes for `JSON.parse` of `PARSED`, in ms. */
const PARSE_MS = 7;
const PARSED = `[${'{"a":1},'.repeat(100_000)}1]`;

/** Measures every turn of the event loop. `busiestMs` ends the measuring and returns the longest turn, in ms. */
export function watchTurns(): { busiestMs(): number } {
  let busiest = 0;
  let before = process.threadCpuUsage();
  let isWatching = true;
  const look = () => {
    const { user, system } = process.threadCpuUsage(before);
    before = process.threadCpuUsage();
    busiest = Math.max(busiest, user + system);
    if (isWatching) setImmediate(look);
  };
  setImmediate(look);
  return {
    busiestMs() {
      isWatching = false;
      return busiest / 1_000;
    },
  };
}

/**
 * The most attempts at one measurement. Work that takes too long does so in each of them. Work that shares the caches of
 * the processor with other programs is fast enough in one of them.
 */
const MOST_ATTEMPTS = 20;

/**
 * Makes attempts until one is fast enough, and returns the smallest of their longest turns, in ms. The work itself
 * takes time in every attempt; garbage collection and compiling do not. Each attempt is converted by the speed that the
 * machine has then, because a shared machine is sometimes fast and sometimes slow.
 */
export async function quietestOf(attempt: (n: number) => Promise<number>): Promise<number> {
  let quietest = Number.POSITIVE_INFINITY;
  for (let n = 0; n < MOST_ATTEMPTS && quietest >= MOST_BUSY_MS; n++)
    quietest = Math.min(quietest, asThere(await attempt(n)));
  return quietest;
}

/**
 * Runs the work until it was fast enough, and returns the least CPU time, in ms. The first runs include compilation, and
 * other runs include garbage collection. Each run is compared with the speed of the machine at the same time.
 */
export function leastCpuMs(work: () => unknown): number {
  let leastMs = Number.POSITIVE_INFINITY;
  for (let run = 0; run < MOST_ATTEMPTS && leastMs >= MOST_BUSY_MS; run++)
    leastMs = Math.min(leastMs, asThere(cpuMsOf(work)));
  return leastMs;
}

function cpuMsOf(work: () => unknown): number {
  const before = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
}

/**
 * Converts a time to the time on the machine of docs/benchmarks.md. Measures this machine only if the time is above
 * the limit.
 */
function asThere(busyMs: number): number {
  if (busyMs < MOST_BUSY_MS) return busyMs;
  const parsedMs = Math.min(...Array.from({ length: 5 }, () => cpuMsOf(() => JSON.parse(PARSED))));
  return (busyMs * PARSE_MS) / Math.max(parsedMs, PARSE_MS);
}
