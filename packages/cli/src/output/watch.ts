/** Shows the same again and again: over itself on a terminal, one behind the other elsewhere; documents as they are. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { CommandContext } from '../command-context.ts';
import { paint } from './table.ts';
import { write } from './write.ts';

const TOP_OF_AN_EMPTY_SCREEN = '\u001b[H\u001b[2J';

/**
 * Resolves when the person ends it. `show` is waited for; its first failure ends the watch.
 *
 * @param context bare: nothing is written but what `show` writes
 */
export async function watch(
  everyMs: number,
  { stdout, signal, bare }: Pick<CommandContext, 'stdout' | 'signal'> & { bare: boolean },
  show: () => Promise<void>,
): Promise<void> {
  try {
    for (let times = 0; !signal.aborted; times++) {
      if (bare) {
        // A program reads it, line by line.
      } else if (stdout.isTTY === true) {
        const title = `every ${everyMs / 1_000} s; ${new Date().toISOString()}; Ctrl-C ends it`;
        await write(stdout, `${TOP_OF_AN_EMPTY_SCREEN}${paint('dim', title, stdout)}\n\n`);
      } else if (times > 0) await write(stdout, '\n');
      await show();
      await sleep(everyMs, undefined, { signal });
    }
  } catch (error) {
    // Being asked to stop is how this ends well.
    if (!signal.aborted) throw error;
  }
}
