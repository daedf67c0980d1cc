/**
 * Watches the body of a response while its reader reads it. The watcher sees each piece, and how the body ended. It
 * never reads ahead, and a reader that leaves cancels the request at once. So `tee` and `clone` cannot be used here.
 */

/** `finished`: read to its end. `left`: the reader cancelled it. `broken`: the connection failed or was aborted. */
export type BodyEnd = 'finished' | 'left' | 'broken';

export type BodyWatcher = {
  /** Sees each piece. Must not throw. The piece is valid only during this call. */
  piece?(bytes: Uint8Array): void;
  /** Returns what the reader gets instead of a piece. Absent: the piece itself. Must not throw. */
  replace?(bytes: Uint8Array): Promise<Uint8Array>;
  /** Called once. The reader learns of a finished body after this has resolved. Must not throw. */
  end(how: BodyEnd): Promise<void>;
  /** After an abort, the reader gets the reason as an error, and the request is cancelled. */
  signal: AbortSignal;
};

/** Returns a body with the same bytes for the reader. The given body must not be used any more. */
export function watchBody(
  body: ReadableStream<Uint8Array>,
  { piece, replace, end, signal }: BodyWatcher,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  const source = body.getReader();
  let hasEnded = false;
  let onAbort = () => {};
  const finish = (how: BodyEnd): Promise<void> => {
    if (hasEnded) return Promise.resolve();
    hasEnded = true;
    signal.removeEventListener('abort', onAbort);
    return end(how);
  };
  const watched = new ReadableStream({
    type: 'bytes',
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
      // A piece may leave nothing for the reader, who then needs the next one.
      for (;;) {
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
          if (signal.aborted) return;
          controller.close();
          controller.byobRequest?.respond(0);
          return;
        }
        piece?.(read.value);
        const bytes = (await replace?.(read.value)) ?? read.value;
        if (signal.aborted || hasEnded) return;
        if (bytes.byteLength === 0) continue;
        // A stream of bytes takes the memory of its pieces away, and small buffers of Node share theirs with others.
        controller.enqueue(new Uint8Array(bytes));
        return;
      }
    },
    cancel(reason) {
      const cancelled = source.cancel(reason);
      finish('left');
      return cancelled;
    },
  });
  return watched as ReadableStream<Uint8Array<ArrayBuffer>>;
}

/** Returns a response that is equal to the given one, with another body. */
export function withBody(response: Response, body: ReadableStream<Uint8Array<ArrayBuffer>>): Response {
  const { status, statusText, headers, url, redirected, type } = response;
  const changed = new Response(body, { status, statusText, headers });
  for (const [name, value] of Object.entries({ url, redirected, type })) {
    Object.defineProperty(changed, name, { value, configurable: true });
  }
  return changed;
}
