import { fork } from 'node:child_process';
import { once } from 'node:events';
import type { BenchOptions } from './bench-options.ts';
import type { Row } from './row.ts';

/**
 * V8's default heap on a small machine is too small for a million live actions. With `--expose-gc`, each sample can
 * begin after a garbage collection.
 */
const V8_OPTIONS = ['--expose-gc', '--max-old-space-size=6144'];

/** The rows of a bench, or `lacks`: the server that this machine does not have, and how to get it. */
export type Outcome = { rows: readonly Row[] } | { lacks: string };

/** Runs a bench in its own process. Its stdout goes to stderr, because stdout is for the report. */
export async function runApart(name: string, { decisions }: BenchOptions): Promise<Outcome> {
  const child = fork(new URL('./run-bench.ts', import.meta.url), [name, String(decisions)], {
    execArgv: [...process.execArgv, ...V8_OPTIONS],
    stdio: ['ignore', 2, 2, 'ipc'],
  });
  let outcome: Outcome | null = null;
  child.on('message', (message) => {
    outcome = message as Outcome;
  });
  const [code, signal] = await once(child, 'exit');
  if (outcome === null || code !== 0) throw new Error(`it ended with ${code ?? signal}`);
  return outcome;
}
