/** The threads of the embedded ClickHouse, on Linux. */
import { readdirSync, readFileSync } from 'node:fs';
import { lowerPriority } from '@mandate/runtime';

const TASKS = '/proc/self/task';
/** The name of a thread of Node's pool, which runs the queries of the engine. */
const POOL = Buffer.from('libuv-worker\n');

/** Milliseconds after which the engine has started all its threads. */
const STARTED_MS = 1_000;

/** The threads before the first engine was opened. The engine keeps its threads when it is closed. */
let ownThreads: ReadonlySet<string> | null = null;

/** Notes the threads that do not belong to the engine. Call it before the engine is opened. */
export function noteOwnThreads(): void {
  ownThreads ??= threadsOfProcess();
}

/**
 * Gives the event loop priority over the engine, now and once again after a second. While the engine opens, it may set
 * the priority of one of its threads. In one of ten openings of a process that had opened an engine before, this
 * thread was then more urgent (-20) than the event loop.
 */
export function lowerEngineThreads(): void {
  lower();
  setTimeout(lower, STARTED_MS).unref();
}

/** Every thread that was started after the first engine was opened counts as a thread of the engine. */
function lower(): void {
  for (const thread of threadsOfProcess())
    if (!ownThreads?.has(thread) || isOfPool(thread)) lowerPriority(Number(thread));
}

/** Returns the ids of all threads of this process. Empty if the system is not Linux. */
function threadsOfProcess(): ReadonlySet<string> {
  return new Set(process.platform === 'linux' ? readdirSync(TASKS) : []);
}

/** True for a thread of Node's pool. False if the thread has ended meanwhile. */
function isOfPool(thread: string): boolean {
  try {
    return readFileSync(`${TASKS}/${thread}/comm`).equals(POOL);
  } catch {
    return false;
  }
}
