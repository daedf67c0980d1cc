/** The threads of the embedded ClickHouse, on Linux. */
import { readdirSync, readFileSync } from 'node:fs';
import { lowerPriority } from '@mandate/runtime';

const TASKS = '/proc/self/task';
/** The name of a thread of Node's pool, which runs the queries of the engine. */
const POOL = Buffer.from('libuv-worker\n');

/** Returns the ids of all threads of this process. Empty if the system is not Linux. */
export function threadsOfProcess(): ReadonlySet<string> {
  return new Set(process.platform === 'linux' ? readdirSync(TASKS) : []);
}

/**
 * Gives the event loop priority over the engine.
 *
 * @param before the threads before the engine was opened; every later thread counts as a thread of the engine
 */
export function lowerEngineThreads(before: ReadonlySet<string>): void {
  for (const thread of threadsOfProcess()) {
    if (!before.has(thread) || isOfPool(thread)) lowerPriority(Number(thread));
  }
}

/** True for a thread of Node's pool. False if the thread has ended meanwhile. */
function isOfPool(thread: string): boolean {
  try {
    return readFileSync(`${TASKS}/${thread}/comm`).equals(POOL);
  } catch {
    return false;
  }
}
