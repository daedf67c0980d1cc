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
  await using stack = new AsyncDisposableStack();
  const finished: Promise<unknown>[] = [];
  const closing: Opening['closing'] = (value, close) => {
    stack.defer(async () => void (await close(value)));
    return value;
  };
  const opened = await open({
    closing,
    running: (part) => {
      if (part.finished !== undefined) {
        finished.push(part.finished);
        // The handler may ignore the error, because `finished` below rejects with it.
        part.finished.catch(() => {});
      }
      return closing(part, ({ stop }) => stop());
    },
  });
  const held = stack.move();
  return { ...opened, stop: () => held.disposeAsync(), finished: Promise.all(finished) };
}
