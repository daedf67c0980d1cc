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
