/** Text of files that people and programs keep, decoded strictly: a damaged name would be another name. */

import { readFileSync } from 'node:fs';
import { decodeFile } from '@mandate/schemas/core';

/** The message names line, column and byte, and which encoding the file probably has. */
export class NotUtf8Error extends Error {
  override readonly name = 'NotUtf8Error';
}

/** @throws NotUtf8Error, and whatever the system says of a file that cannot be read */
export function readTextFile(path: string): string {
  return textOfFile(readFileSync(path));
}

/** The same of bytes that were read. */
export function textOfFile(bytes: Uint8Array): string {
  const decoded = decodeFile(bytes);
  if (decoded.ok) return decoded.text;
  const { line, column, message } = decoded.fault;
  throw new NotUtf8Error(`line ${line}, column ${column}: ${message}`);
}
