/** The files beside an agent manifest, in its folder on this machine. No path and no link leads out of the folder. */
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readSync,
  realpathSync,
  type Stats,
} from 'node:fs';
import { basename, dirname, join, sep } from 'node:path';
import type { FileRead, ManifestFiles } from '@mandate/agent-manifest';
import { readNamedFile } from '@mandate/runtime';
import { CAPS } from '@mandate/schemas';

/**
 * Returns the manifest at `path` and its folder. A person may name the manifest by a link. What it refers to may not
 * lead out of the folder.
 *
 * @throws MandateError FILE_UNREADABLE
 */
export function manifestWithFiles(path: string): {
  folder: string;
  /** The name of the manifest in `files`. */
  main: string;
  source: Uint8Array;
  files: ManifestFiles;
} {
  const folder = dirname(path);
  const main = basename(path);
  const source = readNamedFile(path);
  const beside = filesInFolder(folder);
  const read = (name: string) => (name === main ? { found: 'source' as const, source } : beside.read(name));
  return { folder, main, source, files: { ...beside, read } };
}

export function filesInFolder(folder: string): ManifestFiles {
  const root = realpathSync(folder);
  const below = root.endsWith(sep) ? root : root + sep;

  /**
   * Returns the path without links. If nothing is there, links are followed as far as there is something. Null if it
   * leads out of the folder.
   */
  function realPathOf(path: string): string | null {
    let real = root;
    for (const part of path.split('/')) {
      const next = withoutLinks(join(real, part));
      if (next.found === 'nothing') return join(root, path);
      if (next.found === 'lost' || !(next.path === root || next.path.startsWith(below))) return null;
      real = next.path;
    }
    return real;
  }

  return {
    read(path) {
      const real = realPathOf(path);
      return real === null ? { found: 'outside' } : readRegular(real);
    },
    leadsOut: (path) => realPathOf(path) === null,
  };
}

/**
 * `lost`: links in a circle, or a link that leads to nothing. What it leads to may be made later, outside of the folder.
 */
type WithoutLinks = { found: 'something'; path: string } | { found: 'nothing' } | { found: 'lost' };

function withoutLinks(path: string): WithoutLinks {
  try {
    return { found: 'something', path: realpathSync(path) };
  } catch {
    return { found: isLink(path) ? 'lost' : 'nothing' };
  }
}

function isLink(path: string): boolean {
  try {
    return lstatSync(path).isSymbolicLink();
  } catch {
    return false;
  }
}

/**
 * Reads a regular file. Opening a pipe could wait for ever, and opening a device could change something, so the kind
 * is known before the file is opened. It is asked for again afterwards, because the file may have been replaced.
 */
function readRegular(path: string): FileRead {
  try {
    const before = otherKind(lstatSync(path));
    if (before !== null) return { found: 'other', what: before };
    const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
    const file = openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    try {
      const after = otherKind(fstatSync(file));
      return after === null ? { found: 'source', source: firstBytes(file) } : { found: 'other', what: after };
    } finally {
      closeSync(file);
    }
  } catch (error) {
    const code = codeOf(error);
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'ENAMETOOLONG') return { found: 'missing' };
    return { found: 'other', what: `a file that this user may not read (${code})` };
  }
}

function otherKind(stats: Stats): string | null {
  if (stats.isDirectory()) return 'a folder';
  return stats.isFile() ? null : 'a pipe, a socket or a device';
}

/** Returns the content up to a byte more than a document may have. So the reader of documents refuses a larger file. */
function firstBytes(file: number): Uint8Array {
  const bytes = new Uint8Array(CAPS.documentBytes + 1);
  let length = 0;
  for (;;) {
    const read = readSync(file, bytes, length, bytes.length - length, null);
    length += read;
    if (read === 0 || length === bytes.length) return bytes.slice(0, length);
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error);
}
