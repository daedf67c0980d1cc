/**
 * Watches the parts of a model's stream while its reader reads them. The AI SDK neither finishes nor cancels a stream
 * after an abort, so an abort is an end of its own here.
 */
import type { BodyEnd } from '../model-calls/watch-body.ts';

export type PartWatcher<Part> = {
  /** Must not throw. */
  part(part: Part): void;
  /** Called once. The reader learns of the end after this has resolved. Must not throw. */
  end(how: BodyEnd): Promise<void>;
  /** After an abort, the reader gets the reason as an error, and the source is cancelled. */
  signal: AbortSignal;
};

export function watchParts<Part>(
  stream: ReadableStream<Part>,
  { part, end, signal }: PartWatcher<Part>,
): ReadableStream<Part> {
  const source = stream.getReader();
  let hasEnded = false;
  let onAbort = () => {};
  const finish = (how: BodyEnd): Promise<void> => {
    if (hasEnded) return Promise.resolve();
    hasEnded = true;
    signal.removeEventListener('abort', onAbort);
    return end(how);
  };
  return new ReadableStream<Part>(
    {
      start(controller) {
        onAbort = () => {
          finish('broken');
          controller.error(signal.reason);
          source.cancel(signal.reason).catch(() => {});
        };
        if (signal.aborted) onAbort();
        else signal.addEventListener('abort', onAbort, { once: true });
      },
      async pull(controller) {
        let read: Awaited<ReturnType<typeof source.read>>;
        try {
          read = await source.read();
        } catch (error) {
          await finish('broken');
          if (!signal.aborted) controller.error(error);
          return;
        }
        if (signal.aborted || hasEnded) return;
        if (read.done) {
          await finish('finished');
          if (!signal.aborted) controller.close();
          return;
        }
        part(read.value);
        controller.enqueue(read.value);
      },
      cancel(reason) {
        const cancelled = source.cancel(reason);
        finish('left');
        return cancelled;
      },
    },
    { highWaterMark: 0 },
  );
}
