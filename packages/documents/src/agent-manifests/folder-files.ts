/** The files beside an agent manifest, in its folder on this machine. No path and no link leads out of the folder. */
import { readFileSync, realpathSync, statSync } from 'node:fs';
import { join, sep } from 'node:path';
import type { FileRead, ManifestFiles } from '@mandate/agent-manifest';
import { CAPS } from '@mandate/schemas';

export function filesInFolder(folder: string): ManifestFiles {
  const real = realpathSync(folder);
  const isBelow = (path: string) => path === real || path.startsWith(real.endsWith(sep) ? real : real + sep);

  /** Returns the path without links. Null if there is no such file. */
  function realPathOf(path: string): string | null {
    try {
      return realpathSync(join(folder, path));
    } catch {
      return null;
    }
  }

  return {
    read(path) {
      const file = realPathOf(path);
      if (file === null) return { found: 'missing' };
      return isBelow(file) ? readRegular(file) : { found: 'outside' };
    },
    leadsOut(path) {
      const file = realPathOf(path);
      return file !== null && !isBelow(file);
    },
  };
}

function readRegular(file: string): FileRead {
  try {
    const facts = statSync(file);
    if (facts.isDirectory()) return { found: 'other', what: 'a folder' };
    // Reading a pipe or a device might never end.
    if (!facts.isFile()) return { found: 'other', what: 'no regular file' };
    if (facts.size > CAPS.documentBytes)
      return { found: 'other', what: `larger than ${CAPS.documentBytes} bytes` };
    return { found: 'source', source: readFileSync(file) };
  } catch {
    return { found: 'other', what: 'a file that this user may not read' };
  }
}
