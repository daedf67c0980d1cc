import type { HttpLoad, Load } from '../workload/http-load.ts';
import type { Sample } from './compare.ts';
import { type Latencies, latenciesOf } from './latencies.ts';
import { cpuSince } from './work.ts';

/**
 * Returns the figures of a load over HTTP. The CPU time is that of this process. The server runs in this process, and
 * the client does not.
 */
export async function figuresOf(
  client: HttpLoad,
  load: Load,
): Promise<Sample<keyof Latencies | 'perSecond'>> {
  const cpuBefore = process.cpuUsage();
  const { tookMs, timesMs } = await client.send(load);
  const count = timesMs.length;
  return {
    perSecond: (count / tookMs) * 1_000,
    ...latenciesOf(timesMs),
    cpuMicros: cpuSince(cpuBefore) / count,
  };
}
