/**
 * Watches a file that people edit while Mandate runs. It compares the file's stamp four times a second, which works
 * for every file system and editor. A change is read only after two checks with the same stamp, because a
 * half-written file may look complete. After a bad edit the last good content is kept.
 */
import { readFileSync, statSync } from 'node:fs';

const LOOK_EVERY_MS = 250;

export type WatchedFile = {
  /** Checks the file now, before the next interval. If two checks find the same stamp, the file is read. */
  look(): void;
  stop(): void;
};

export type WatchOptions<Read> = {
  path: string;
  /** Reads the bytes of the file. If absent, the file is read in the usual way. */
  readBytes?: ((path: string) => Uint8Array) | undefined;
  /** Converts the bytes to the content. May throw. */
  parse(bytes: Uint8Array): Read;
  /** Returns other files that the last content refers to. A change of one of them counts as a change of this file. */
  alsoRead?: (() => readonly string[]) | undefined;
  /** Returns the result for a file that cannot be read. */
  unreadable(message: string): Read;
  /** Called with the result of every change. */
  onChange(read: Read): void;
};

/** Reads the file, and reads it again after each change. */
export function watchFile<Read>(options: WatchOptions<Read>): WatchedFile & { first: Read } {
  const { path, alsoRead = () => [], onChange } = options;
  const stampOfAll = () => [path, ...alsoRead()].map(stampOf).join(' ');
  let stamp = stampOf(path);
  let first = readNow(options);
  if (alsoRead().length > 0) {
    // The other files are known only now. Their stamps are taken before they are read, so that no change is lost in
    // between.
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
    // The file has changed during the read, or it refers to other files than before. The next checks read it again.
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
    // Only regular files are read, because reading a pipe or a device may never end, and would block everything else.
    if (!statSync(path).isFile()) throw new Error('it is not a regular file');
    return parse(readBytes(path));
  } catch (error) {
    return unreadable(`cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function asAnyFile(path: string): Uint8Array {
  return readFileSync(path);
}

/**
 * Returns the stamp of a file, and never throws. A file without a readable stamp counts as changed, and reading it
 * shows the reason.
 */
function stampOf(path: string): string {
  try {
    const { ino, size, mtimeMs } = statSync(path);
    return `${ino}/${size}/${mtimeMs}`;
  } catch (error) {
    return String(error);
  }
}
