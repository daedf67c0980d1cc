/** Waits for a slow reader. */
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';

/**
 * Resolves when the stream accepts more bytes, or has closed. Leaves no listener behind.
 *
 * @param source the stream from which the bytes come. If it closes, the wait ends
 */
export async function drained(stream: Writable, source?: Readable): Promise<void> {
  if (!stream.writableNeedDrain || stream.destroyed || source?.destroyed) return;
  const done = new AbortController();
  const { signal } = done;
  const ended = ['drain', 'close'].map((event) => once(stream, event, { signal }).catch(() => {}));
  if (source !== undefined) ended.push(once(source, 'close', { signal }).catch(() => {}));
  await Promise.race(ended);
  done.abort();
}
