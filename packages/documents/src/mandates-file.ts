import type { MandateOfFile } from '@mandate/policy';
import { describeFault, type LoadedMandates, loadMandates } from '@mandate/policy/documents';
import { MandateError, readNamedFile } from '@mandate/runtime';

/** Returns the mandates of a file, or its faults. Throws MandateError FILE_UNREADABLE. */
export function readMandatesFile(path: string): LoadedMandates {
  return loadMandates(readNamedFile(path));
}

/**
 * Returns the mandates of a file.
 *
 * @param warnings gets a line for each entry that probably does not mean what its author wanted
 * @throws MandateError MANDATES_INVALID, which names each fault by file, line and column, or FILE_UNREADABLE
 */
export function loadMandatesFile(path: string, warnings?: string[]): readonly MandateOfFile[] {
  const read = readMandatesFile(path);
  if (read.ok) {
    warnings?.push(...read.warnings.map((warning) => describeFault(path, warning)));
    return read.mandates;
  }
  const faults = read.faults.map((fault) => describeFault(path, fault));
  throw new MandateError('MANDATES_INVALID', `the mandates are bad\n${faults.join('\n')}`, {
    remedy: 'Correct the file at these places; `mandate validate` checks it again.',
  });
}
