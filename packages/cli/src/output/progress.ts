/**
 * How far long work has come: one line of stderr, written over and over, and gone at the end. Only on a terminal, so that
 * no log fills with it.
 */
import type { Output } from '../command-context.ts';

export type Progress = {
  /** Shows `text` unless something was shown just now. */
  show(text: string): void;
  /** Takes the line away, so that others can write there. */
  clear(): void;
};

const EVERY_MS = 100;
const ERASE_LINE = '\r\u001b[2K';

export function progressOn(stderr: Output, clock: () => number = Date.now): Progress {
  let shownMs = clock();
  let showing = false;
  return {
    show(text) {
      if (stderr.isTTY !== true || clock() - shownMs < EVERY_MS) return;
      stderr.write(`${ERASE_LINE}${text}`);
      shownMs = clock();
      showing = true;
    },
    clear() {
      if (showing) stderr.write(ERASE_LINE);
      showing = false;
    },
  };
}
