/**
 * Priorities of the threads of this process. Only Linux has a priority for each thread. Elsewhere a priority belongs
 * to the whole process, so nothing is done.
 */
import { constants, getPriority, setPriority } from 'node:os';

/** The thread that calls. */
const CALLER = 0;

/**
 * Gives a thread a lower priority than the event loop, which decides and kills. Threads that it starts later inherit
 * the priority.
 *
 * @param thread the id of a thread of this process, from /proc/self/task. Default: the thread that calls.
 */
export function lowerPriority(thread: number = CALLER): void {
  if (process.platform !== 'linux') return;
  try {
    const lower = getPriority(process.pid) + constants.priority.PRIORITY_BELOW_NORMAL;
    setPriority(thread, Math.min(lower, constants.priority.PRIORITY_LOW));
  } catch {
    // The thread has ended, or the system does not permit the change. The thread then keeps its priority.
  }
}
