import { setTimeout as sleep } from 'node:timers/promises';

/**
 * The result of a measurement: how fast the work was, and how much CPU time it took. The CPU time is that of the
 * process with all its threads.
 */
export type Work = { perSecond: number; cpuMicros: number };

export async function measureWork(units: number, work: () => Promise<void> | void): Promise<Work> {
  const cpuBefore = process.cpuUsage();
  const startMs = performance.now();
  await work();
  const tookMs = performance.now() - startMs;
  return { perSecond: (units / tookMs) * 1_000, cpuMicros: cpuSince(cpuBefore) / units };
}

/**
 * Measures work on one batch after the other. Each batch is made just before the work on it, as if it had just been
 * read: an old batch has left the CPU caches, and fetching it from memory would take most of the time. Making the
 * batch is not measured.
 */
export async function measureBatches<Item>(
  { batches, make }: { batches: number; make(): readonly Item[] },
  work: (items: readonly Item[]) => void,
): Promise<Work> {
  await collected();
  let [units, tookMs, cpuMicros] = [0, 0, 0];
  for (let batch = 0; batch < batches; batch += 1) {
    const items = make();
    // Two minor collections move the batch out of V8's young generation. Otherwise a collection during the measured
    // work would copy the batch.
    for (let turn = 0; turn < 2; turn += 1) globalThis.gc?.({ type: 'minor' });
    const cpuBefore = process.cpuUsage();
    const startMs = performance.now();
    work(items);
    tookMs += performance.now() - startMs;
    cpuMicros += cpuSince(cpuBefore);
    units += items.length;
  }
  return { perSecond: (units / tookMs) * 1_000, cpuMicros: cpuMicros / units };
}

/**
 * V8 sweeps a heap of some 100 MB in less time than this wait. V8 sweeps in its own threads after `gc` has returned,
 * and does not say when it has finished.
 */
const SWEEPING_MS = 100;

/**
 * Collects garbage and waits until V8 has swept the heap. Otherwise, sweeping takes a third of the CPU time of a
 * short sample.
 */
export async function collected(): Promise<void> {
  globalThis.gc?.();
  await sleep(SWEEPING_MS);
}

/** Returns the CPU time of this process since `before`, in microseconds. */
export function cpuSince(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before);
  return user + system;
}
