/**
 * Reads a mandate file: one mandate, or several as YAML documents. If the file has a fault, none of its mandates is
 * used.
 */
import { mandateDocument } from '@mandate/schemas';
import { documentWarnings, type WrittenPolicy } from '../doubts/document-warnings.ts';
import { compileMandate } from './compile-mandate.ts';
import type { DocumentFault } from './document-fault.ts';
import type { DocumentSource } from './documents-in.ts';
import type { MandateOfFile } from './mandate.ts';
import { readDocuments } from './read-documents.ts';

export type LoadedMandates =
  | {
      ok: true;
      mandates: readonly MandateOfFile[];
      /** Warnings about valid documents, each with its line and column. */
      warnings: readonly DocumentFault[];
    }
  | { ok: false; faults: readonly DocumentFault[] };

export function loadMandates(source: DocumentSource): LoadedMandates {
  const mandates: MandateOfFile[] = [];
  const written: WrittenPolicy[] = [];
  const ids = new Set<string>();
  const faults = readDocuments(
    source,
    { schema: mandateDocument, what: 'mandate' },
    (document, say, find) => {
      if (ids.has(document.id)) say(['id'], `the id "${document.id}" is used twice in this file`);
      ids.add(document.id);
      written.push({ document, find });
      const compiled = compileMandate(document);
      if (compiled.ok) mandates.push(compiled.compiled);
      else for (const { path, message } of compiled.faults) say(path, message);
    },
  );
  return faults.length > 0
    ? { ok: false, faults }
    : { ok: true, mandates, warnings: documentWarnings({ policies: written }) };
}
