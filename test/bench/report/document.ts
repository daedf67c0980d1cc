/** The report as data. `--json` prints the data, and the table is made from them. */
import { arch, availableParallelism, cpus, platform, totalmem } from 'node:os';
import type { Row } from '../row.ts';

export type BenchDocument = {
  version: 1;
  startedAt: string;
  tookMs: number;
  machine: { cores: number; processor: string; memoryBytes: number; platform: string; node: string };
  benches: readonly { bench: string; rows: readonly Row[] }[];
  /** The benches that did not run, because they need a server that this machine does not have. */
  lacking: readonly string[];
  failed: readonly string[];
};

export function documentOf(run: {
  startedAt: Date;
  results: BenchDocument['benches'];
  lacking: readonly string[];
  failed: readonly string[];
}): BenchDocument {
  return {
    version: 1,
    startedAt: run.startedAt.toISOString(),
    tookMs: Date.now() - run.startedAt.getTime(),
    machine: {
      cores: availableParallelism(),
      processor: cpus()[0]?.model ?? 'unknown',
      memoryBytes: totalmem(),
      platform: `${platform()} ${arch()}`,
      node: process.version,
    },
    benches: run.results,
    lacking: run.lacking,
    failed: run.failed,
  };
}
