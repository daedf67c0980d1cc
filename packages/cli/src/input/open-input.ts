import { type FileHandle, open } from 'node:fs/promises';
import { addAbortSignal, type Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { textOfFile, unreadableFile } from '@mandate/runtime';
import type { CommandContext } from '../command-context.ts';
import { WrongUse } from '../exit-codes.ts';

/** Returns the bytes of a file, or of stdin for `-`. Reading ends with an AbortError if the command is stopped. */
export async function openInput(path: string, { stdin, signal }: CommandContext): Promise<Readable> {
  return addAbortSignal(signal, path === '-' ? stdin : (await openFile(path)).createReadStream());
}

/** Reads the whole text of a file, or of stdin for `-`. Throws if the bytes are not UTF-8. */
export async function readText(path: string, context: CommandContext): Promise<string> {
  const bytes = await buffer(await openInput(path, context));
  try {
    return textOfFile(bytes);
  } catch (error) {
    throw unreadableFile(path === '-' ? 'stdin' : path, error);
  }
}

async function openFile(path: string): Promise<FileHandle> {
  try {
    const file = await open(path);
    if (!(await file.stat()).isDirectory()) return file;
    await file.close();
  } catch (error) {
    throw unreadableFile(path, error);
  }
  throw new WrongUse(`${path} is a folder`, 'Name a file.');
}
