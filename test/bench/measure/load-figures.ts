import type { HttpLoad, Load } from '../workload/http-load.ts';
import type { Sample } from './compare.ts';
import { type Latencies, latenciesOf } from './latencies.ts';
import { cpuSince } from './work.ts';

/** What a load over HTTP came to; the CPU time is this process's, so of the server and not of its client. */
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
