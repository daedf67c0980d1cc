/**
 * Watches a stream while its reader reads it. The watcher gets each piece, and then how the stream ended. The stream is
 * never read ahead of its reader. If the reader cancels, the stream is cancelled at once. So `tee` cannot be used here.
 */

/**
 * `finished`: the stream was read to its end. `left`: the reader cancelled. `broken`: the stream failed or was aborted.
 */
export type StreamEnd = 'finished' | 'left' | 'broken';

export type StreamWatcher<Piece> = {
  /** Returns the piece for the reader. Null if the reader gets nothing. Must not throw. */
  piece(piece: Piece): Piece | null | Promise<Piece | null>;
  /** Called once. The reader gets the end of the stream after this promise has resolved. Must not throw. */
  end(how: StreamEnd): Promise<void>;
  /** After an abort, the reader gets the reason as an error, and the stream is cancelled. */
  signal: AbortSignal;
};

type Controller<Piece> = { enqueue(piece: Piece): void; close(): void; error(reason: unknown): void };

/** The parts of a stream that `new ReadableStream` takes. */
export type WatchedSource<Piece> = {
  start(controller: Controller<Piece>): void;
  pull(controller: Controller<Piece>): Promise<void>;
  cancel(reason: unknown): Promise<void>;
};

/** Returns the source of a new stream. After this call, the given stream must not be used. */
export function watchedSource<Piece>(
  stream: ReadableStream<Piece>,
  { piece, end, signal }: StreamWatcher<Piece>,
): WatchedSource<Piece> {
  const source = stream.getReader();
  let hasEnded = false;
  let onAbort = () => {};
  const finish = (how: StreamEnd): Promise<void> => {
    if (hasEnded) return Promise.resolve();
    hasEnded = true;
    signal.removeEventListener('abort', onAbort);
    return end(how);
  };
  return {
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
      // If a piece leaves nothing for the reader, the next piece is read.
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
          if (!signal.aborted) controller.close();
          return;
        }
        const given = await piece(read.value);
        if (signal.aborted || hasEnded) return;
        if (given === null) continue;
        controller.enqueue(given);
        return;
      }
    },
    cancel(reason) {
      const cancelled = source.cancel(reason);
      finish('left');
      return cancelled;
    },
  };
}

export type BodyWatcher = {
  /** Gets each piece. Must not throw. The piece is valid only during this call. */
  piece?(bytes: Uint8Array): void;
  /** Returns the piece for the reader. By default, the reader gets the original piece. Must not throw. */
  replace?(bytes: Uint8Array): Promise<Uint8Array>;
  /** Called once. The reader gets the end of the body after this promise has resolved. Must not throw. */
  end(how: StreamEnd): Promise<void>;
  /** After an abort, the reader gets the reason as an error, and the request is cancelled. */
  signal: AbortSignal;
};

/** Returns a body with the same bytes for the reader. After this call, the given body must not be used. */
export function watchBody(
  body: ReadableStream<Uint8Array>,
  { piece, replace, end, signal }: BodyWatcher,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  const source = watchedSource<Uint8Array>(body, {
    async piece(read) {
      piece?.(read);
      const bytes = (await replace?.(read)) ?? read;
      // A stream of bytes detaches the memory of its pieces. Small buffers of Node share memory, so the piece is copied.
      return bytes.byteLength === 0 ? null : new Uint8Array(bytes);
    },
    end,
    signal,
  });
  const watched = new ReadableStream({
    ...source,
    type: 'bytes',
    async pull(controller) {
      await source.pull({
        enqueue: (bytes) => controller.enqueue(bytes as Uint8Array<ArrayBuffer>),
        error: (reason) => controller.error(reason),
        close() {
          controller.close();
          controller.byobRequest?.respond(0);
        },
      });
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
