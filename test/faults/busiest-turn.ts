/**
 * The longest that the event loop was held up, in CPU time of its thread: what else the machine has to do, and what helper
 * threads compile or collect meanwhile, does not count. A clock on the wall would tell more of the machine than of us.
 */

/** No request waits longer than this for another's, on the machine that docs/benchmarks.md is of; on a slower one, as much longer. */
export const MOST_BUSY_MS = 50;

/** What that machine takes for `JSON.parse` of `PARSED`. */
const PARSE_MS = 7;
const PARSED = `[${'{"a":1},'.repeat(100_000)}1]`;

/** Watches every turn of the event loop, one after the other without a rest, until it is asked. */
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
 * What `attempt` was busy at most, in the quietest of three attempts: what lies in the work itself comes every time, and what
 * a collection of garbage or the compiler happened to add does not.
 */
export async function quietestOf(attempt: (n: number) => Promise<number>): Promise<number> {
  let quietest = Number.POSITIVE_INFINITY;
  for (let n = 0; n < 3 && quietest >= MOST_BUSY_MS; n++) quietest = Math.min(quietest, await attempt(n));
  return asThere(quietest);
}

/**
 * The CPU time of a piece of work, the least of several runs: the first ones pay for compiling, others for collecting, and all
 * of them on a machine that is busy.
 */
export function leastCpuMs(work: () => unknown): number {
  return asThere(leastCpu(work, { runs: 10, enoughMs: MOST_BUSY_MS / 2 }));
}

function leastCpu(work: () => unknown, { runs, enoughMs }: { runs: number; enoughMs: number }): number {
  let leastMs = Number.POSITIVE_INFINITY;
  for (let run = 0; run < runs && leastMs >= enoughMs; run++) {
    const before = process.threadCpuUsage();
    work();
    const { user, system } = process.threadCpuUsage(before);
    leastMs = Math.min(leastMs, (user + system) / 1_000);
  }
  return leastMs;
}

/** What it would have been on that machine. Measured only where it matters. */
function asThere(busyMs: number): number {
  if (busyMs < MOST_BUSY_MS) return busyMs;
  const parsedMs = leastCpu(() => JSON.parse(PARSED), { runs: 5, enoughMs: PARSE_MS });
  return (busyMs * PARSE_MS) / Math.max(parsedMs, PARSE_MS);
}
