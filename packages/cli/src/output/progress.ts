/**
 * Shows progress as one line on stderr. Each text overwrites the line, and the end removes it. Only a terminal gets
 * the line, because a log would fill with such lines.
 */
import type { Output } from '../command-context.ts';

export type Progress = {
  /** Shows `text`, unless a text was shown less than 100 ms ago. */
  show(text: string): void;
  /** Removes the line, so that other text can be written in its place. */
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
