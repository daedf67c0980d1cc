/** Waits for a slow reader. */
import { once } from 'node:events';
import type { Writable } from 'node:stream';

/** Resolves when the stream takes more bytes, or has closed. Leaves no listener behind. */
export async function drained(stream: Writable): Promise<void> {
  if (!stream.writableNeedDrain || stream.destroyed) return;
  const done = new AbortController();
  const { signal } = done;
  const ended = ['drain', 'close'].map((event) => once(stream, event, { signal }).catch(() => {}));
  await Promise.race(ended);
  done.abort();
}
