/**
 * What a process holds open: one thing after another, each used by those after it. All of it is closed in reverse,
 * when asked, and also when a later one does not open.
 */
import type { Running } from './lifecycle.ts';

export type Opening = {
  /** Hands `value` on, and remembers how it is closed. */
  closing<T>(value: T, close: (value: T) => unknown): T;
  /** The same for what stops by itself; when its background work fails, the whole has failed. */
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
