/**
 * Replaces a text that must never be found again. The old text is overwritten before its file is deleted. A process
 * can do no more than that. A file system that writes elsewhere, a flash disk, a snapshot and a backup may keep the
 * old bytes, as docs/privacy.md says.
 *
 * A crash leaves either the old or the new text complete. Other files that a crash leaves are overwritten by
 * `wipeLeftovers`.
 */
import { type BigIntStats, promises as fs } from 'node:fs';
import { replaceFile } from '@mandate/runtime';

/** Call this function and `wipeLeftovers` only while no other process changes the file. */
export async function replaceSecretFile(path: string, text: string): Promise<void> {
  await wipeLeftovers(path);
  await keepOld(path);
  await replaceFile(path, text);
  await wipeLeftovers(path);
}

/** Overwrites the files that an interrupted replacement left beside the file: a draft, or the old text. */
export async function wipeLeftovers(path: string): Promise<void> {
  await wipe(`${path}.new`, path);
  await wipe(oldOf(path), path);
}

/** Gives the old text a second file name, because the new text takes the first name. */
async function keepOld(path: string): Promise<void> {
  try {
    await fs.link(path, oldOf(path));
  } catch (error) {
    // The file does not exist yet, or the file system has no hard links. Without hard links, the old text is deleted
    // without overwriting.
    if (!hasCode(error, 'ENOENT', 'EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS')) throw error;
  }
}

async function wipe(path: string, inUse: string): Promise<void> {
  // If the path is a link, only the link is removed, because this program did not write the linked file.
  const stats = await statOrNull(path, fs.lstat);
  if (stats === null) return;
  const used = await statOrNull(inUse);
  const isUsed = used !== null && used.ino === stats.ino && used.dev === stats.dev;
  if (!isUsed && stats.isFile()) await overwrite(path, Number(stats.size));
  await fs.rm(path, { force: true });
}

const CHUNK = Buffer.alloc(64 * 1_024);

async function overwrite(path: string, size: number): Promise<void> {
  const file = await fs.open(path, 'r+');
  try {
    for (let at = 0; at < size; at += CHUNK.length) {
      await file.write(CHUNK, 0, Math.min(CHUNK.length, size - at), at);
    }
    await file.sync();
  } finally {
    await file.close();
  }
}

function oldOf(path: string): string {
  return `${path}.old`;
}

async function statOrNull(path: string, stat: typeof fs.lstat = fs.stat): Promise<BigIntStats | null> {
  try {
    return await stat(path, { bigint: true });
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return null;
    throw error;
  }
}

function hasCode(error: unknown, ...codes: readonly string[]): boolean {
  return error instanceof Error && 'code' in error && codes.includes(String(error.code));
}
