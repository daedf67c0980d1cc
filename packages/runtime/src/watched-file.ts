/**
 * A file that people edit while everything runs. A change is noticed by looking at the file's stamp four times a
 * second, which works on every file system and for every way an editor saves, and taken when two looks in a row see
 * the same: a file that is still being written may read like a whole one. A bad edit keeps what was taken last.
 */
import { readFileSync, statSync } from 'node:fs';

const LOOK_EVERY_MS = 250;

export type WatchedFile = {
  /** Looks at once, instead of at the next tick. The second look that sees the same change takes it. */
  look(): void;
  stop(): void;
};

export type WatchOptions<Read> = {
  path: string;
  /** How its bytes are read; as of any file when absent. */
  readBytes?: ((path: string) => Uint8Array) | undefined;
  /** Makes of the bytes what they say. May throw. */
  parse(bytes: Uint8Array): Read;
  /** Files that were read for what it said last: a change of theirs is one of this file. */
  alsoRead?: (() => readonly string[]) | undefined;
  /** The result for a file that cannot be read. */
  unreadable(message: string): Read;
  /** Gets the result of every change. */
  onChange(read: Read): void;
};

/** Reads the file, and again whenever it changes. */
export function watchFile<Read>(options: WatchOptions<Read>): WatchedFile & { first: Read } {
  const { path, alsoRead = () => [], onChange } = options;
  const stampOfAll = () => [path, ...alsoRead()].map(stampOf).join(' ');
  let stamp = stampOf(path);
  let first = readNow(options);
  if (alsoRead().length > 0) {
    // Only now the other files are known. They are read after their stamps as well, so that no change is lost in between.
    stamp = stampOfAll();
    first = readNow(options);
  }
  let seen = stamp;

  const look = () => {
    const now = stampOfAll();
    const settled = now === seen;
    seen = now;
    if (now === stamp || !settled) return;
    const read = readNow(options);
    // Written to while it was read, or it names others than before: the next looks see to it.
    seen = stampOfAll();
    if (seen !== now) return;
    stamp = now;
    onChange(read);
  };
  const timer = setInterval(look, LOOK_EVERY_MS);
  timer.unref();
  return { first, look, stop: () => clearInterval(timer) };
}

function readNow<Read>({ path, readBytes = asAnyFile, parse, unreadable }: WatchOptions<Read>): Read {
  try {
    // Reading a pipe or a device may never end, and everything would wait for it.
    if (!statSync(path).isFile()) throw new Error('it is not a regular file');
    return parse(readBytes(path));
  } catch (error) {
    return unreadable(`cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function asAnyFile(path: string): Uint8Array {
  return readFileSync(path);
}

/** Never throws: a file that may not be looked at is a file that changed, and reading it says why. */
function stampOf(path: string): string {
  try {
    const { ino, size, mtimeMs } = statSync(path);
    return `${ino}/${size}/${mtimeMs}`;
  } catch (error) {
    return String(error);
  }
}
