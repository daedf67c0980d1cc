/**
 * The last step of every main.ts: runs the parts of the process, and ends the process with the right exit code. The
 * process object is a parameter, because only a main.ts may use the global object.
 */
import type { EventEmitter } from 'node:events';
import type { Logger } from '@mandate/runtime';
import { type LifecyclePart, runLifecycle } from '@mandate/runtime';
import { endOnUncaught } from '@mandate/runtime/end-on-uncaught';
import { sayWarnings } from '@mandate/runtime/say-warnings';

/** The part of Node's `process` that `runProcess` needs. */
export type ProcessPort = EventEmitter & {
  exit(code: number): void;
  exitCode: number | string | null | undefined;
};

/** Exit codes after a second signal: 128 plus the number of the signal, as shells report it. */
const FORCED_EXIT_CODES = { SIGINT: 130, SIGTERM: 143 } as const;

/**
 * Runs the parts until SIGTERM or SIGINT requests a graceful stop. A second signal ends the process at once. So does
 * an uncaught exception that belongs to no request. Resolves when everything has stopped. Sets the exit code.
 */
export async function runProcess(
  process: ProcessPort,
  options: { log: Logger; parts: readonly LifecyclePart[]; onStarted?: () => void; lingerMs?: number },
): Promise<void> {
  const { log, lingerMs = 2_000 } = options;
  const asked = new AbortController();

  const onSignal = (signal: keyof typeof FORCED_EXIT_CODES) => {
    if (asked.signal.aborted) {
      log.warn({ signal }, 'second signal: leaving without waiting');
      process.exit(FORCED_EXIT_CODES[signal]);
      return;
    }
    log.info({ signal }, 'stopping; a second signal ends the process at once');
    asked.abort();
  };
  sayWarnings(process, (err) => log.warn({ err }, 'Node warns'));
  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);
  const listensNoMore = endOnUncaught(process, (err) => {
    log.fatal({ err }, 'an uncaught error; the process ends');
    process.exit(1);
  });
  process.exitCode = await runLifecycle({ ...options, stop: asked.signal });
  // A timer ends the process, because an open handle must not keep a stopped process alive. The timer itself does not
  // delay the end either.
  const { exitCode } = process;
  setTimeout(() => {
    log.warn('all parts stopped, but the process does not end by itself; ending it');
    process.exit(Number(exitCode));
  }, lingerMs).unref();
  listensNoMore();
}
