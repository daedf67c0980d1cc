/**
 * Identifies the process of a member. If the process has ended, other members need not wait for the session timeout
 * before they take its partitions. The death must be certain: a process of this machine (or container) has ended, or
 * its number now belongs to another process.
 */
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

/** Returns the identity of this process. Other processes that share the file can pass the identity to `isGone`. */
export function processIdentity(): string {
  return JSON.stringify([numberSpace(), process.pid, startOf(process.pid)]);
}

export function isGone(identity: string): boolean {
  const [space, pid, start]: [string, number, string | null] = JSON.parse(identity);
  if (space !== numberSpace()) return false;
  if (!exists(pid)) return true;
  return start !== null && startOf(pid) !== start;
}

/**
 * Returns the namespace of process numbers. Two containers may share the file, but a process number has a different
 * meaning in each.
 */
function numberSpace(): string {
  try {
    return `${hostname()} ${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    return hostname();
  }
}

/**
 * Returns the time when the process started, in ticks since the machine started. Null if the system does not show the
 * time.
 */
function startOf(pid: number): string | null {
  try {
    // The second field is the name, which may contain spaces and brackets. The start is the twentieth field after the
    // name.
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
    // Any error except "no such process" means that the process still runs. EPERM: it belongs to another user.
    return !(error instanceof Error && 'code' in error && error.code === 'ESRCH');
  }
}
