/**
 * Ends the process group of a server after the proxy was killed by SIGKILL. A small shell waits for the end of a pipe
 * that only the proxy holds. When the proxy ends, the system closes this pipe.
 */
import { spawn } from 'node:child_process';

export type Watchdog = {
  /** The server has ended, so there is nothing left to watch. */
  release(): void;
};

/** A line on the input means that the server has ended. If the input ends without a line, the proxy was killed. */
const SCRIPT =
  'read -r line && exit 0; kill -s TERM -- "-$1" 2>/dev/null; sleep 1; kill -s KILL -- "-$1" 2>/dev/null';

/** @param group the id of the process group */
export function startWatchdog(group: number): Watchdog {
  const shell = spawn('/bin/sh', ['-c', SCRIPT, 'mandate-watchdog', String(group)], {
    stdio: ['pipe', 'ignore', 'ignore'],
    // The watchdog has its own session, so that no signal to the proxy's group reaches it.
    detached: true,
  });
  // Without a shell there is no watchdog. The proxy still ends the server itself.
  shell.on('error', () => {});
  shell.stdin.on('error', () => {});
  shell.unref();
  (shell.stdin as unknown as { unref?(): void }).unref?.();
  return { release: () => void shell.stdin.end('released\n') };
}
