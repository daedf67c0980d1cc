/**
 * A snapshot of the fold, in a file beside the log: it only makes the next start faster. It is written whole or not at
 * all, and one that cannot be used is passed over, because the log has everything that is in it.
 */
import { createReadStream, createWriteStream, existsSync, renameSync, rmSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type Fold, readSnapshot, writeSnapshot } from '@mandate/ledger';
import { isMandateError, type Logger } from '@mandate/runtime';

/** null where there is none, or none that this binary can read. */
export async function loadSnapshot(path: string, log: Logger): Promise<Fold | null> {
  if (!existsSync(path)) return null;
  try {
    return await readSnapshot(createInterface({ input: createReadStream(path) }));
  } catch (error) {
    if (!isMandateError(error, 'SNAPSHOT_UNREADABLE')) throw error;
    log.warn({ err: error, path }, 'the snapshot is passed over; the log is folded from its start');
    return null;
  }
}

/** The fold must not change meanwhile. Where the disk has no room for it, the next start takes longer: no more than that. */
export async function saveSnapshot(path: string, fold: Fold, log: Logger): Promise<void> {
  const unfinished = `${path}.unfinished`;
  try {
    await pipeline(
      Readable.from(withLineEnds(writeSnapshot(fold))),
      createWriteStream(unfinished, { mode: 0o600, flush: true }),
    );
    renameSync(unfinished, path);
  } catch (error) {
    // The log has a better use for the room that it takes.
    rmSync(unfinished, { force: true });
    log.warn(
      { err: error, path },
      'no snapshot could be left behind; the next start folds the log without it',
    );
  }
}

function* withLineEnds(lines: Iterable<string>): Generator<string> {
  for (const line of lines) yield `${line}\n`;
}
