/**
 * Ends the process group of a server after the proxy was killed by SIGKILL. A small shell waits for the end of a pipe
 * that only the proxy holds. When the proxy ends, the system closes this pipe.
 */
import { spawn } from 'node:child_process';

export type Watchdog = {
  /** The server has ended, so there is nothing left to watch. */
  release(): void;
};

/** A line on the input says that all is well. The end of the input without a line says that the proxy is gone. */
const SCRIPT =
  'read -r line && exit 0; kill -s TERM -- "-$1" 2>/dev/null; sleep 1; kill -s KILL -- "-$1" 2>/dev/null';

/** @param group the id of the process group */
export function startWatchdog(group: number): Watchdog {
  const shell = spawn('/bin/sh', ['-c', SCRIPT, 'mandate-watchdog', String(group)], {
    stdio: ['pipe', 'ignore', 'ignore'],
    // In a session of its own, no signal to the proxy's group reaches the watchdog.
    detached: true,
  });
  // Without a shell there is no watchdog. The proxy still ends the server itself.
  shell.on('error', () => {});
  shell.stdin.on('error', () => {});
  shell.unref();
  (shell.stdin as unknown as { unref?(): void }).unref?.();
  return { release: () => void shell.stdin.end('released\n') };
}
