/** Runs a file in its own process, as npm scripts do, and collects its output. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

export type StartedProcess = {
  readonly process: ChildProcess;
  /** Returns the newest 100,000 characters of stderr. */
  errors(): string;
  /** Resolves to the first result of `find` for a later line. Fails if the process ends before that. */
  says<T>(stream: 'stdout' | 'stderr', find: (line: string) => T | undefined): Promise<T>;
  /** Resolves to the exit code, or to null if a signal ended the process. */
  readonly exited: Promise<number | null>;
  /** Sends a signal to the process if it still runs, and waits until it has ended. */
  kill(signal?: NodeJS.Signals): Promise<number | null>;
};

/** After SIGUSR1, Node listens for a debugger. Port 0 means any free port, because processes cannot share a port. */
const DEBUGGABLE = '--inspect-port=127.0.0.1:0';
/** Hundreds of processes load the same modules. With a compile cache each takes half the time. */
const COMPILED = join(import.meta.dirname, '../../../node_modules/.cache/compiled');

/** @param node the Node that runs the file. Default: the Node of this process. */
export function startProcess(
  file: string,
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
  node = process.execPath,
): StartedProcess {
  const all = [DEBUGGABLE, file, ...args];
  const child = spawn(node, all, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { NODE_COMPILE_CACHE: COMPILED, ...env },
  });
  const lines = { stdout: createInterface(child.stdout), stderr: createInterface(child.stderr) };
  let errors = '';
  lines.stderr.on('line', (line) => {
    errors = `${errors}${line}\n`.slice(-100_000);
  });
  // All lines are read, even if no test waits for them, because a full pipe would stop the process.
  lines.stdout.resume();
  const exited = once(child, 'close').then(() => child.exitCode);
  return {
    process: child,
    errors: () => errors,
    says: (stream, find) =>
      new Promise((resolve, reject) => {
        // Stops listening after the first result. The last line of a killed process may be incomplete, so `find` must
        // not get this line.
        const look = (line: string) => {
          const found = find(line);
          if (found === undefined) return;
          lines[stream].off('line', look);
          resolve(found);
        };
        lines[stream].on('line', look);
        exited.then(
          (code) => reject(new Error(`${file} ended with ${code ?? child.signalCode}:\n${errors}`)),
          reject,
        );
      }),
    exited,
    kill(signal = 'SIGTERM') {
      if (child.exitCode === null && child.signalCode === null) child.kill(signal);
      return exited;
    },
  };
}
