/**
 * Sets the priorities of threads of this process, on Linux. On other systems a priority belongs to the whole process,
 * so this code does nothing.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { constants, setPriority } from 'node:os';

const TASKS = '/proc/self/task';
/** The name of the threads in the pool of Node. Native code runs on these threads. */
const POOL = Buffer.from('libuv-worker\n');

export function threadsOfProcess(): ReadonlySet<string> {
  if (process.platform !== 'linux') return new Set();
  return new Set(readdirSync(TASKS));
}

/**
 * Lowers the priority of the pool of Node, and of all threads that did not exist in `before`. Threads that they start
 * later inherit the priority.
 */
export function putBehindOthers(before: ReadonlySet<string>): void {
  for (const thread of threadsOfProcess()) {
    if (!before.has(thread) || isOfPool(thread)) lower(Number(thread));
  }
}

/** True if the thread belongs to the pool of Node. False if the thread has ended already. */
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
    // The thread keeps its priority if it has ended already, or if the system does not permit the change.
  }
}
