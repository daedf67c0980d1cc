/** Reads one file as YAML. The fields of the document are not checked here. */
import type { DocumentSource, FindPlace } from '@mandate/policy/documents';
import { readOneDocument } from '@mandate/policy/one-document';
import { type Found, found, type ManifestFault, MOST_FAULTS } from './fault.ts';

/** A file that was read as YAML. */
export type SourceFile = {
  name: string;
  value: unknown;
  /** The numbers that cannot be stored exactly. */
  inexact: readonly Found[];
  find: FindPlace;
};

export type SourceRead = { ok: true; file: SourceFile } | { ok: false; faults: readonly ManifestFault[] };

/** @param expected what the file contains, for messages: `what` completes the phrase "the file holds no …" */
export function readSource(
  name: string,
  source: DocumentSource,
  expected: { what: string; begins: string },
): SourceRead {
  const read = readOneDocument(source, expected, MOST_FAULTS);
  if (read.ok) {
    const inexact = read.inexact.map(({ path, message }) => found('VALUE_INVALID', path, message));
    return { ok: true, file: { name, value: read.value, inexact, find: read.find } };
  }
  return {
    ok: false,
    faults: read.faults.map(({ keyTwice, ...fault }) => ({
      code: keyTwice ? 'KEY_TWICE' : 'YAML_INVALID',
      file: name,
      ...fault,
    })),
  };
}
