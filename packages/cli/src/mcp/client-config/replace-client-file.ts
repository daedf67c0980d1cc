/**
 * Replaces the configuration file of a client. A reader gets the old or the new text, never a part. The file keeps its
 * mode, because it may have secrets. A link stays a link, and the file that it names is replaced.
 */
import { randomUUID } from 'node:crypto';
import { promises as fs } from 'node:fs';
import { textOfFile, unreadableFile } from '@mandate/runtime';
import { CommandFailure, WrongUse } from '../../exit-codes.ts';

type Owned = { mode: number; uid: number; gid: number };

/** `path`: the file itself, after all links. `mark`: the byte order mark, which is not part of the text. */
export type ClientFile = Owned & { path: string; bytes: Buffer; mark: string; text: string };

const MOST_BYTES = 16 * 1024 * 1024;
const BYTE_ORDER_MARK = '\uFEFF';

/** @param named the path as the person gave it */
export async function readClientFile(named: string): Promise<ClientFile> {
  const read = await readBytes(named);
  const { bytes } = read;
  try {
    const text = textOfFile(bytes);
    const mark = bytes.length > Buffer.byteLength(text) ? BYTE_ORDER_MARK : '';
    return { ...read, mark, text };
  } catch (error) {
    throw unreadableFile(named, error);
  }
}

async function readBytes(named: string): Promise<Omit<ClientFile, 'mark' | 'text'>> {
  try {
    const path = await fs.realpath(named);
    // Opening a pipe would block here, so the kind of the file is checked first.
    const stat = await fs.stat(path);
    if (!stat.isFile())
      throw new WrongUse(`${named} is no file`, 'Name the configuration file of an MCP client.');
    if (stat.size > MOST_BYTES)
      throw new WrongUse(`${named} has more than 16 MiB`, 'Name the configuration file of an MCP client.');
    const { mode, uid, gid } = stat;
    return { path, bytes: await fs.readFile(path), mode: mode & 0o7777, uid, gid };
  } catch (error) {
    throw error instanceof WrongUse ? error : unreadableFile(named, error);
  }
}

/** Throws if the file was changed after it was read, for example while a person read the diff. */
export async function replaceClientFile(file: ClientFile, text: string): Promise<void> {
  const now = await readBytes(file.path);
  if (!now.bytes.equals(file.bytes))
    throw new CommandFailure(
      1,
      `${file.path} was changed in the meantime, and is left as it is`,
      'Try again.',
    );
  await replace(file.path, Buffer.from(`${file.mark}${text}`), file);
}

/** The path of the backup: the file before its first import. */
export function backupOf({ path }: ClientFile): string {
  return `${path}.before-mandate`;
}

export async function writeBackup(file: ClientFile): Promise<void> {
  await replace(backupOf(file), file.bytes, file);
}

/** Removes the backup if the file has the same content again. Returns true if the backup was removed. */
export async function removeBackup(file: ClientFile): Promise<boolean> {
  const backup = await fs.readFile(backupOf(file)).catch(() => null);
  if (backup === null || !backup.equals(await fs.readFile(file.path))) return backup === null;
  await fs.rm(backupOf(file));
  return true;
}

async function replace(path: string, bytes: Buffer, { mode, uid, gid }: Owned): Promise<void> {
  const draft = `${path}.${randomUUID()}`;
  try {
    const file = await fs.open(draft, 'wx', 0o600);
    try {
      // Only the administrator may give a file to another user. For any other user, the file already has the right
      // owner.
      await file.chown(uid, gid).catch(() => {});
      await file.chmod(mode);
      await file.writeFile(bytes);
      await file.sync();
    } finally {
      await file.close();
    }
    await fs.rename(draft, path);
  } catch (error) {
    await fs.rm(draft, { force: true });
    throw new CommandFailure(
      2,
      `${path} cannot be written: ${error instanceof Error ? error.message : error}`,
    );
  }
}
