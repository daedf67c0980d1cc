/** Stores the snapshot of a log in one file beside the log file. The next snapshot replaces this file. */
import { createReadStream, createWriteStream, existsSync, renameSync, rmSync, statSync } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { holdExclusively, MandateError } from '@mandate/runtime';
import { linesOf, textOf } from './lines-and-text.ts';
import type { Snapshots } from './port.ts';

export function fileSnapshots(path: string): Snapshots {
  const lines = () => linesOf(createReadStream(path));
  return {
    async *newestFirst() {
      if (!existsSync(path)) return;
      yield { name: path, head: () => firstOf(lines()), lines };
    },
    async save(given, signal) {
      const lock = onlyWriter(path);
      const unfinished = `${path}.unfinished`;
      try {
        const file = createWriteStream(unfinished, { mode: 0o600, flush: true });
        await pipeline(Readable.from(textOf(given)), file, { ...(signal && { signal }) });
        renameSync(unfinished, path);
        return { name: path, bytes: statSync(path).size };
      } catch (error) {
        // The unfinished file is deleted, because it takes disk space that the log may need.
        rmSync(unfinished, { force: true });
        throw error;
      } finally {
        lock.release();
      }
    },
  };
}

/**
 * Makes sure that only one process writes the snapshot. Several deciders and `mandate snapshot` may use the same
 * folder. A second writer is refused, because one snapshot is enough.
 */
function onlyWriter(path: string): { release(): void } {
  try {
    return holdExclusively(`${path}.lock`, path);
  } catch (cause) {
    throw new MandateError('SNAPSHOT_BUSY', `Another process is writing ${path}.`, {
      remedy: 'No action is needed: the snapshot of the other process is as good.',
      retryable: true,
      cause,
    });
  }
}

async function firstOf(lines: AsyncIterable<string>): Promise<string> {
  for await (const line of lines) return line;
  return '';
}
