/**
 * Shows the same view repeatedly. A terminal overwrites the old view, other output gets a blank line between views,
 * and JSON gets only the documents.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { CommandContext } from '../command-context.ts';
import { paint } from './table.ts';
import { write } from './write.ts';

const TOP_OF_AN_EMPTY_SCREEN = '\u001b[H\u001b[2J';

/**
 * Resolves when the person ends the watch. Each run of `show` starts after the previous run. The first failure ends
 * the watch.
 *
 * @param context bare: only the output of `show` is written
 */
export async function watch(
  everyMs: number,
  { stdout, signal, bare }: Pick<CommandContext, 'stdout' | 'signal'> & { bare: boolean },
  show: () => Promise<void>,
): Promise<void> {
  try {
    for (let times = 0; !signal.aborted; times++) {
      if (bare) {
        // A program reads this output line by line, so the views have no title and no blank line between them.
      } else if (stdout.isTTY === true) {
        const title = `every ${everyMs / 1_000} s; ${new Date().toISOString()}; Ctrl-C ends it`;
        await write(stdout, `${TOP_OF_AN_EMPTY_SCREEN}${paint('dim', title, stdout)}\n\n`);
      } else if (times > 0) await write(stdout, '\n');
      await show();
      await sleep(everyMs, undefined, { signal });
    }
  } catch (error) {
    // The watch ends normally if a person asks it to stop.
    if (!signal.aborted) throw error;
  }
}
