/** Reads text of files strictly, because a name with a damaged character would be another name. */

import { readFileSync } from 'node:fs';
import { decodeFile } from '@mandate/schemas/core';

/** The message gives line, column and byte, and the probable encoding of the file. */
export class NotUtf8Error extends Error {
  override readonly name = 'NotUtf8Error';
}

/** @throws NotUtf8Error, and the error of the system for a file that cannot be read */
export function readTextFile(path: string): string {
  return textOfFile(readFileSync(path));
}

/** Decodes bytes in the same way. */
export function textOfFile(bytes: Uint8Array): string {
  const decoded = decodeFile(bytes);
  if (decoded.ok) return decoded.text;
  const { line, column, message } = decoded.fault;
  throw new NotUtf8Error(`line ${line}, column ${column}: ${message}`);
}
