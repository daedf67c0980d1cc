/**
 * How much a piece of work does, counted: characters of our own code that the engine ran through. The same work counts the
 * same on every machine. What the engine does by itself (searching a text, sorting) is not in it.
 */
import { type Profiler, Session } from 'node:inspector/promises';

export type WorkCounter = {
  /** @param work is done once */
  countOf(work: () => unknown): Promise<number>;
  stop(): Promise<void>;
};

/** @param within parts of the paths of files that count; code runs slowly until the counter is stopped */
export async function startCounting(within: readonly string[]): Promise<WorkCounter> {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  const counted = async () => {
    const { result } = await session.post('Profiler.takePreciseCoverage');
    return result
      .filter(({ url }) => within.some((part) => url.includes(part)))
      .flatMap(({ functions }) => functions.map(({ ranges }) => ranThrough(ranges)))
      .reduce((sum, characters) => sum + characters, 0);
  };
  return {
    async countOf(work) {
      // Whatever was counted before is taken off.
      await counted();
      work();
      return counted();
    },
    async stop() {
      await session.post('Profiler.stopPreciseCoverage');
      session.disconnect();
    },
  };
}

/** @param ranges of a function: each lies within one before it, and says how often its part was entered */
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
