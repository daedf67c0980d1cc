/** Paths of files that a manifest names. They must not lead out of the folder of the manifest. */

/**
 * Returns a path in its normal form: without `.`, `..` and doubled slashes. Null if it is absolute or an address, if
 * it leads out of the folder on the way, or if another system would read it as one of these.
 *
 * @param folder the folder of the manifest, in normal form. Empty: the place from which all paths are read
 * @param from the folder from which the path is read, in normal form. It is the folder of the manifest or below it
 */
export function pathBelow(folder: string, written: string, from = folder): string | null {
  if (LEADS_ELSEWHERE.test(written)) return null;
  const least = partsOf(folder).length;
  const parts = partsOf(from);
  for (const part of written.split('/')) {
    if (part === '' || part === '.') continue;
    if (part !== '..') parts.push(part);
    else if (parts.length === least) return null;
    else parts.pop();
  }
  return parts.join('/');
}

/** Returns the folder of a file. Empty for a file without a folder. */
export function folderOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')));
}

/**
 * Matches an absolute path, a drive, an address, and characters that end a path or separate its parts on another
 * system.
 */
const LEADS_ELSEWHERE = /^\/|^[A-Za-z]:|^[A-Za-z][A-Za-z0-9+.-]*:\/\/|^file:|[\\\0]/i;

function partsOf(path: string): string[] {
  return path === '' ? [] : path.split('/');
}
