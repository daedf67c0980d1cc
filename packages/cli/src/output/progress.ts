/**
 * Shows the progress of long work as one line on stderr. The line is overwritten, and removed at the end. Only a
 * terminal gets it, so that no log fills with it.
 */
import type { Output } from '../command-context.ts';

export type Progress = {
  /** Shows `text`, unless a text was shown less than 100 ms ago. */
  show(text: string): void;
  /** Removes the line, so that other text can be written there. */
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
