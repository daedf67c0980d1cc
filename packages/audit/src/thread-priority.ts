/**
 * Priorities of the threads of this process, on Linux. Elsewhere a priority belongs to a whole process, and nothing is
 * done.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { constants, setPriority } from 'node:os';

const TASKS = '/proc/self/task';
/** Threads of the pool of Node, on which native code works. */
const POOL = Buffer.from('libuv-worker\n');

export function threadsOfProcess(): ReadonlySet<string> {
  if (process.platform !== 'linux') return new Set();
  return new Set(readdirSync(TASKS));
}

/**
 * Lets all other threads come before the pool of Node and the threads that are new since `before`. Threads that they
 * start later inherit the priority.
 */
export function putBehindOthers(before: ReadonlySet<string>): void {
  for (const thread of threadsOfProcess()) {
    if (!before.has(thread) || isOfPool(thread)) lower(Number(thread));
  }
}

/** False for a thread that ended meanwhile. */
function isOfPool(thread: string): boolean {
  try {
    return readFileSync(`${TASKS}/${thread}/comm`).equals(POOL);
  } catch {
    return false;
  }
}

function lower(thread: number): void {
  try {
    setPriority(thread, constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // The thread ended meanwhile, or the system does not permit it. It then keeps its priority.
  }
}
