/**
 * The open resources of a process. Each may use those before it. They are closed in reverse order when asked, or if a
 * later one fails to open.
 */
import type { Running } from './lifecycle.ts';

export type Opening = {
  /** Returns `value`, and remembers how to close it. */
  closing<T>(value: T, close: (value: T) => unknown): T;
  /** Does the same for a part with its own `stop`. If its background work fails, the whole fails. */
  running<P extends Running>(part: P): P;
};

/** @returns what `open` returned, with `stop`, which closes everything, and `finished`, which rejects when a part fails */
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
        // The error is not lost: `finished` below rejects with it.
        part.finished.catch(() => {});
      }
      return closing(part, ({ stop }) => stop());
    },
  });
  const held = stack.move();
  return { ...opened, stop: () => held.disposeAsync(), finished: Promise.all(finished) };
}
