/**
 * Counts the work that a reader does for a text: how many characters of Mandate's code were executed. The same work
 * has the same count on every machine. Work inside the JavaScript engine (searching a text, sorting) is not counted.
 *
 * The reader runs in a thread of its own. V8 counts the parts of a function only if the function was compiled after
 * the counting began, and in the main thread the function may already be compiled.
 */
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

/** @param within parts of file paths; only code in these files counts */
export type CountingOptions = { within: readonly string[] };
export type CountRequest = { reader: string; text: string };
export type CountAnswer = { characters: number } | { error: string };

export type WorkCounter = {
  /** @param reader a name of `READERS`; the reader reads the text once */
  countOf(reader: string, text: string): Promise<number>;
  stop(): Promise<unknown>;
};

export async function startCounting(within: readonly string[]): Promise<WorkCounter> {
  const worker = new Worker(new URL('./counting-thread.ts', import.meta.url), {
    workerData: { within } satisfies CountingOptions,
    execArgv: [],
  });
  await once(worker, 'message');
  return {
    async countOf(reader, text) {
      worker.postMessage({ reader, text } satisfies CountRequest);
      const [answer]: CountAnswer[] = await once(worker, 'message');
      if (answer === undefined || 'error' in answer) throw new Error(answer?.error ?? 'no answer');
      return answer.characters;
    },
    stop: () => worker.terminate(),
  };
}
