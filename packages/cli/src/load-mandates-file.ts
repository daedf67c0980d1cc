import { readFileSync } from 'node:fs';
import type { MandateOfFile } from '@mandate/policy';
import { describeFault, type LoadedMandates, loadMandates } from '@mandate/policy/documents';
import { CommandFailure } from './exit-codes.ts';
import { cannotRead } from './input/open-input.ts';

/** The mandates of a file, or what is wrong with it. A file that cannot be read is a failure with exit code 2. */
export function readMandatesFile(path: string): LoadedMandates {
  return loadMandates(readDocumentFile(path));
}

/** The bytes: who reads the documents in it decodes them, and says where they are no text. */
export function readDocumentFile(path: string): Uint8Array {
  try {
    return readFileSync(path);
  } catch (error) {
    throw cannotRead(path, error);
  }
}

/**
 * The mandates of a file; a failure with exit code 2 names each fault by file, line and column.
 *
 * @param warnings gets a line for each thing that they probably do not mean
 */
export function loadMandatesFile(path: string, warnings?: string[]): readonly MandateOfFile[] {
  const read = readMandatesFile(path);
  if (read.ok) {
    warnings?.push(...read.warnings.map((warning) => describeFault(path, warning)));
    return read.mandates;
  }
  throw new CommandFailure(
    2,
    `the mandates are bad\n${read.faults.map((fault) => describeFault(path, fault)).join('\n')}`,
    'Mend the file at these places; `mandate validate` checks it again.',
  );
}
