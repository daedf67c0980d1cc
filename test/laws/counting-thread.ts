/**
 * The thread of `counted-work.ts`. It begins to count before it loads any reader. Then it reads one text after the
 * other.
 */
import { type Profiler, Session } from 'node:inspector';
import { parentPort, workerData } from 'node:worker_threads';
import type { CountAnswer, CountingOptions, CountRequest } from './counted-work.ts';

const { within } = workerData as CountingOptions;
const session = new Session();
session.connect();
session.post('Profiler.enable');
session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });

const { READERS } = await import('./readers.ts');
const readers = new Map(READERS);

parentPort?.on('message', (asked: CountRequest) => parentPort?.postMessage(answerTo(asked)));
parentPort?.postMessage('ready');

function answerTo({ reader, text }: CountRequest): CountAnswer {
  try {
    // Resets the count, so that earlier work is not included.
    counted();
    readers.get(reader)?.(text);
    return { characters: counted() };
  } catch (error) {
    return { error: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}

/** Returns the count since the last call. V8's profiler runs in this thread, so it answers before `post` returns. */
function counted(): number {
  let characters = 0;
  session.post('Profiler.takePreciseCoverage', (error, { result }) => {
    if (error !== null) throw error;
    for (const { url, functions } of result) {
      if (!within.some((part) => url.includes(part))) continue;
      for (const { ranges } of functions) characters += ranThrough(ranges);
    }
  });
  return characters;
}

/**
 * @param ranges the ranges of a function; a range may be inside an earlier range; `count` says how often a range was
 * entered
 */
function ranThrough(ranges: readonly Profiler.CoverageRange[]): number {
  const around: Profiler.CoverageRange[] = [];
  let characters = 0;
  for (const range of ranges) {
    while (around.length > 0 && (around.at(-1)?.endOffset ?? 0) <= range.startOffset) around.pop();
    const more = range.count - (around.at(-1)?.count ?? 0);
    characters += more * (range.endOffset - range.startOffset);
    around.push(range);
  }
  return characters;
}
