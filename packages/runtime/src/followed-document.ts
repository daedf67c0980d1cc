/**
 * A document that people edit while everything runs. A bad edit keeps the last good one in force, and shows; what a bad
 * one at the start comes to is for its reader to say.
 */

import type { Logger } from './logger.ts';
import type { ReadinessCheck } from './readiness.ts';
import { type WatchedFile, watchFile } from './watched-file.ts';

/** What there is to correct: with its place, as people look for it. */
type Fault = { line: number; column: number; path: string; message: string };

type Read<Good> = (Good & { ok: true }) | { ok: false; faults: readonly Fault[] };

export type FollowedDocument = WatchedFile & {
  /** What is wrong with it as it stands now; empty when it is in force. */
  faults(): readonly Fault[];
  /** A bad edit stops nobody, who goes on with the last good one; but it must be seen. */
  readiness(): ReadinessCheck;
};

export type FollowOptions<Good> = {
  path: string;
  /** As readiness names it, and the line that says that it is bad. */
  name: string;
  log: Logger;
  /** How its bytes are read; as of any file when absent. */
  readBytes?: ((path: string) => Uint8Array) | undefined;
  parse(bytes: Uint8Array): Read<Good>;
  /** Files that were read for it: a change of theirs is one of the document. */
  alsoRead?: (() => readonly string[]) | undefined;
  /** Told of each good one. */
  onGood(good: Good, isFirst: boolean): void;
  /** Throws, where a bad first one is an error. */
  onBadStart(faults: readonly Fault[]): void;
};

export function followDocument<Good>(options: FollowOptions<Good>): FollowedDocument {
  const { path, name, log, readBytes, parse, alsoRead, onGood, onBadStart } = options;
  let faults: readonly Fault[] = [];
  const { first, look, stop } = watchFile<Read<Good>>({
    path,
    readBytes,
    parse,
    alsoRead,
    unreadable: (message) => ({ ok: false, faults: [{ line: 1, column: 1, path: '', message }] }),
    onChange(read) {
      faults = read.ok ? [] : read.faults;
      if (read.ok) onGood(read, false);
      else log.error({ path, faults }, `${name}: the file is bad, the last good one stays in force`);
    },
  });
  try {
    if (first.ok) onGood(first, true);
    else onBadStart(first.faults);
  } catch (error) {
    stop();
    throw error;
  }
  return {
    faults: () => faults,
    readiness: () => ({
      name,
      ok: true,
      ...(faults.length > 0 && { stale: true, detail: 'the file is bad: the last good one is in force' }),
    }),
    look,
    stop,
  };
}
