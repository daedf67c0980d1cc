/** Reads files that a person named in an option or a setting. */
import { readFileSync } from 'node:fs';
import { MandateError } from './errors.ts';

/**
 * Returns the bytes of the file. The caller decodes them, and reports bytes that are not text.
 *
 * @throws MandateError FILE_UNREADABLE
 */
export function readNamedFile(path: string): Uint8Array {
  try {
    return readFileSync(path);
  } catch (error) {
    throw unreadableFile(path, error);
  }
}

/** Converts the system's error about a file to an error that contains the name from the person. */
export function unreadableFile(path: string, error: unknown): MandateError {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'ENOENT') return fileUnreadable(`there is no file ${path}`);
  if (code === 'EACCES') return fileUnreadable(`${path} may not be read by this user`);
  if (code === 'EISDIR') return fileUnreadable(`${path} is a folder`);
  return fileUnreadable(`${path}: ${error instanceof Error ? error.message : String(error)}`);
}

function fileUnreadable(what: string): MandateError {
  return new MandateError('FILE_UNREADABLE', what, { remedy: 'Name a file that this user may read.' });
}
