import { setTimeout as sleep } from 'node:timers/promises';

/** How fast a piece of work went, and what it cost. CPU time is that of the process with all its threads. */
export type Work = { perSecond: number; cpuMicros: number };

export async function measureWork(units: number, work: () => Promise<void> | void): Promise<Work> {
  const cpuBefore = process.cpuUsage();
  const startMs = performance.now();
  await work();
  const tookMs = performance.now() - startMs;
  return { perSecond: (units / tookMs) * 1_000, cpuMicros: cpuSince(cpuBefore) / units };
}

/**
 * Work on batch after batch, each made just before its turn, as if it had just been read: for a batch that was made long
 * before, most of the time goes into fetching it from memory again. Making it is not measured.
 */
export async function measureBatches<Item>(
  { batches, make }: { batches: number; make(): readonly Item[] },
  work: (items: readonly Item[]) => void,
): Promise<Work> {
  await collected();
  let [units, tookMs, cpuMicros] = [0, 0, 0];
  for (let batch = 0; batch < batches; batch += 1) {
    const items = make();
    // Out of the young generation: it would be copied, should that be collected, at the expense of the work.
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

/** Longer than V8 sweeps, on threads of its own, a heap of some 100 MB after `gc` has returned; nothing says when it is done. */
const SWEEPING_MS = 100;

/** What is dead is out of the way, and nobody is still sweeping when the clock starts: that took a third of a short sample's CPU. */
export async function collected(): Promise<void> {
  globalThis.gc?.();
  await sleep(SWEEPING_MS);
}

/** Microseconds. */
export function cpuSince(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before);
  return user + system;
}
