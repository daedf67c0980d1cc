/**
 * Which process a member lives in, so that the partitions of one that was killed need not wait for its session to run
 * out. Only a certain death counts: a process of this very machine (or container) that is gone, or with a number that now
 * belongs to another.
 */
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

/** The identity of this process; any process that shares the file may give it to `isGone`. */
export function processIdentity(): string {
  return JSON.stringify([numberSpace(), process.pid, startOf(process.pid)]);
}

export function isGone(identity: string): boolean {
  const [space, pid, start]: [string, number, string | null] = JSON.parse(identity);
  if (space !== numberSpace()) return false;
  if (!exists(pid)) return true;
  return start !== null && startOf(pid) !== start;
}

/** Process numbers mean something only within one of these: two containers may share the file, and not the numbers. */
function numberSpace(): string {
  try {
    return `${hostname()} ${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    return hostname();
  }
}

/** When the process started, in ticks since the machine did; null where the system does not say. */
function startOf(pid: number): string | null {
  try {
    // The second field, the name, may hold blanks and brackets; the start is the twentieth after it.
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? null;
  } catch {
    return null;
  }
}

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // Anything but "no such process" (EPERM: another user's) means that it lives.
    return !(error instanceof Error && 'code' in error && error.code === 'ESRCH');
  }
}
