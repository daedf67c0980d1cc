/** The error for documents that cannot be used, with its faults as data. */
import { join } from 'node:path';
import type { PublicationNote } from '@mandate/agent-manifest';
import { type DocumentFault, describeFault } from '@mandate/policy/documents';
import { MandateError } from '@mandate/runtime';
import { describeNote } from './agent-manifests/read-agent-manifest-file.ts';
import { describeManifestFault, type PlacedFault } from './manifests/describe-manifest-fault.ts';

/**
 * A fault of a document. `code` is DOCUMENTS_INVALID if the fault has no code of its own. `line` and `column` count
 * from 1, and are 1 if the fault is about the file as a whole.
 */
export type FaultOfDocuments = {
  severity: 'error';
  code: string;
  file: string;
  path: string;
  line: number;
  column: number;
  message: string;
  remedy: string;
};

const CODE = 'DOCUMENTS_INVALID';
const AT_THIS_PLACE = 'Correct it at this place.';

/** Documents with faults. The message names each fault, for people. */
export class DocumentsInvalid extends MandateError {
  readonly faults: readonly FaultOfDocuments[];

  constructor(message: string, { faults, remedy }: { faults: readonly FaultOfDocuments[]; remedy: string }) {
    super(CODE, message, { remedy });
    this.faults = faults;
  }
}

/** A fault with its line for people. */
export type SaidFault = { fault: FaultOfDocuments; inWords: string };

export function ofDocument(file: string, fault: DocumentFault): SaidFault {
  const { path, line, column, message } = fault;
  const placed = { file, path, line, column, message };
  return {
    fault: { severity: 'error', code: CODE, ...placed, remedy: AT_THIS_PLACE },
    inWords: describeFault(file, fault),
  };
}

export function ofManifest(fault: PlacedFault): SaidFault {
  return {
    fault: { severity: 'error', ...fault, remedy: AT_THIS_PLACE },
    inWords: describeManifestFault(fault),
  };
}

/** @param folder the folder of the agent manifest */
export function ofNote(folder: string, note: PublicationNote): SaidFault {
  const { code, path, line, column, message } = note;
  const placed = { file: join(folder, note.file), path, line: line ?? 1, column: column ?? 1, message };
  return {
    fault: { severity: 'error', code, ...placed, remedy: AT_THIS_PLACE },
    inWords: describeNote(folder, note),
  };
}

/** A fault of a file as a whole. */
export function ofFile(file: string, message: string, remedy: string): SaidFault {
  const placed = { file, path: '', line: 1, column: 1, message };
  return { fault: { severity: 'error', code: CODE, ...placed, remedy }, inWords: `${file}: ${message}` };
}

export function badDocuments(faults: readonly SaidFault[]): DocumentsInvalid {
  const lines = faults.map(({ inWords }) => inWords);
  return new DocumentsInvalid(`these documents are bad\n${lines.join('\n')}`, {
    faults: faults.map(({ fault }) => fault),
    remedy: 'Correct them at these places.',
  });
}

/** Documents with one fault, which is about a file as a whole. The message is the message of the fault. */
export function badFile(file: string, message: string, remedy: string): DocumentsInvalid {
  return new DocumentsInvalid(message, { faults: [ofFile(file, message, remedy).fault], remedy });
}
