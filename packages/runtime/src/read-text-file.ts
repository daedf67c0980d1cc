/**
 * Reads text files strictly, and rejects damaged characters. A name with a damaged character would be another name.
 */

import { readFileSync } from 'node:fs';
import { decodeFile } from '@mandate/schemas/core';

/**
 * The error for a file that is not UTF-8. Its message has the line, the column, the byte, and the probable encoding.
 */
export class NotUtf8Error extends Error {
  override readonly name = 'NotUtf8Error';
}

/** @throws NotUtf8Error, or the system's error if the file cannot be read */
export function readTextFile(path: string): string {
  return textOfFile(readFileSync(path));
}

/** Decodes the bytes of a file strictly. */
export function textOfFile(bytes: Uint8Array): string {
  const decoded = decodeFile(bytes);
  if (decoded.ok) return decoded.text;
  const { line, column, message } = decoded.fault;
  throw new NotUtf8Error(`line ${line}, column ${column}: ${message}`);
}
