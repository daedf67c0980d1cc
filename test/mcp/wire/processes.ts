/** Finds processes by a mark in their command, also processes that nobody else names any more. Linux and macOS. */
import { execFileSync, spawnSync } from 'node:child_process';

/** Returns the ids of the running processes that have the mark in their command. */
export function processesWith(mark: string): number[] {
  const lines = execFileSync('ps', ['-eo', 'pid=,stat=,args='], { encoding: 'utf8' }).split('\n');
  return lines.flatMap((line) => {
    const [, pid = '', state = '', command = ''] = /^\s*(\d+)\s+(\S+)\s+(.*)$/.exec(line) ?? [];
    const isRunning = pid !== '' && !state.startsWith('Z') && command.includes(mark);
    return isRunning && Number(pid) !== process.pid ? [Number(pid)] : [];
  });
}

/** Returns the memory of a process in bytes. 0: the process has ended. */
export function memoryOf(pid: number): number {
  const { stdout } = spawnSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' });
  return Number(stdout.trim()) * 1024;
}
