/**
 * A document that people edit while Mandate runs. After a bad edit the last good document stays in force, and
 * readiness shows the fault. If the first document is bad, the caller decides what happens.
 */

import { existsSync } from 'node:fs';
import type { Logger } from './logger.ts';
import { readTextFile } from './read-text-file.ts';
import type { ReadinessCheck } from './readiness.ts';
import { type WatchedFile, watchFile } from './watched-file.ts';

/** One fault of the document, with its line and column. */
type Fault = { line: number; column: number; path: string; message: string };

type Read<Good> = (Good & { ok: true }) | { ok: false; faults: readonly Fault[] };

export type FollowedDocument = WatchedFile & {
  /** Returns the faults of the current file. Empty if the file is in force. */
  faults(): readonly Fault[];
  /** Returns ready even after a bad edit. The check then says that the document is stale. */
  readiness(): ReadinessCheck;
};

export type FollowOptions<Good> = {
  path: string;
  /** True if the document may be missing at the start, which is then no fault. Default: false. */
  mayBeMissing?: boolean;
  /** The name of the document in readiness and in log lines. */
  name: string;
  log: Logger;
  /** Reads the bytes of the document. If absent, the file is read in the usual way. */
  readBytes?: ((path: string) => Uint8Array) | undefined;
  /**
   * @param readText reads another file that belongs to the document, such as a secret. If that file changes, the
   * document has changed. Throws as `readTextFile`
   */
  parse(bytes: Uint8Array, readText: (path: string) => string): Read<Good>;
  /** Called with each good document. `isFirst` is true for the first one. */
  onGood(good: Good, isFirst: boolean): void;
  /** Called with the faults of a bad first document. It may throw to end the start. */
  onBadStart(faults: readonly Fault[]): void;
};

export function followDocument<Good>(options: FollowOptions<Good>): FollowedDocument {
  const { path, mayBeMissing = false, name, log, readBytes, parse, onGood, onBadStart } = options;
  let faults: readonly Fault[] = [];
  let others: string[] = [];
  const { first, look, stop } = watchFile<Read<Good>>({
    path,
    readBytes,
    parse(bytes) {
      others = [];
      return parse(bytes, (other) => {
        others.push(other);
        return readTextFile(other);
      });
    },
    alsoRead: () => others,
    unreadable: (message) => ({ ok: false, faults: [{ line: 1, column: 1, path: '', message }] }),
    onChange(read) {
      faults = read.ok ? [] : read.faults;
      if (read.ok) onGood(read, false);
      else log.error({ path, faults }, `${name}: the file is bad, the last good one stays in force`);
    },
  });
  try {
    if (first.ok) onGood(first, true);
    else if (!mayBeMissing || existsSync(path)) onBadStart(first.faults);
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
