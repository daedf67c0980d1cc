/** How fast a piece of work went, and what it cost. CPU time is that of the process with all its threads. */
export type Work = { perSecond: number; cpuMicros: number };

export async function measureWork(units: number, work: () => Promise<void> | void): Promise<Work> {
  const cpuBefore = process.cpuUsage();
  const startMs = performance.now();
  await work();
  const tookMs = performance.now() - startMs;
  return { perSecond: (units / tookMs) * 1_000, cpuMicros: cpuSince(cpuBefore) / units };
}

/** Microseconds. */
export function cpuSince(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before);
  return user + system;
}
