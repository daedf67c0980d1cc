/**
 * Opens the resources of a process in order. Each resource may use the resources before it. They are closed in
 * reverse order on request, or if a later resource fails to open.
 */
import type { Running } from './lifecycle.ts';

export type Opening = {
  /** Returns `value`, and remembers the function that closes it. */
  closing<T>(value: T, close: (value: T) => unknown): T;
  /**
   * Does the same as `closing` for a part with its own `stop`. If the background work of the part fails, `finished`
   * rejects.
   */
  running<P extends Running>(part: P): P;
};

/**
 * @returns the result of `open` with two more fields: `stop` closes everything, and `finished` rejects when a part
 * fails
 */
export async function openInOrder<T extends object>(
  open: (opening: Opening) => Promise<T>,
): Promise<T & Required<Running>> {
  const closers: (() => unknown)[] = [];
  const finished: Promise<unknown>[] = [];
  const closing: Opening['closing'] = (value, close) => {
    closers.push(() => close(value));
    return value;
  };
  const running: Opening['running'] = (part) => {
    if (part.finished !== undefined) {
      finished.push(part.finished);
      // The handler may ignore the error, because `finished` below rejects with it.
      part.finished.catch(() => {});
    }
    return closing(part, ({ stop }) => stop());
  };
  let stopped: Promise<void> | undefined;
  const stop = () => {
    stopped ??= closeAll(closers);
    return stopped;
  };
  try {
    return { ...(await open({ closing, running })), stop, finished: Promise.all(finished) };
  } catch (error) {
    await stop().catch((closeError: unknown) => {
      throw new AggregateError([error, closeError], `${messageOf(error)} Then: ${messageOf(closeError)}`);
    });
    throw error;
  }
}

/**
 * Closes the newest resource first. If one fails to close, the others are closed too. Node 22 has no
 * `AsyncDisposableStack`, which would do this.
 */
async function closeAll(closers: (() => unknown)[]): Promise<void> {
  const errors: unknown[] = [];
  for (let close = closers.pop(); close !== undefined; close = closers.pop()) {
    try {
      await close();
    } catch (error) {
      errors.push(error);
    }
  }
  if (errors.length > 1) throw new AggregateError(errors, errors.map(messageOf).join(' Then: '));
  if (errors.length === 1) throw errors[0];
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
