import { dirname } from 'node:path';
import { badDocuments, ofNote } from '../documents-invalid.ts';
import type { AgentManifestFile } from './read-agent-manifest-file.ts';

/** Returns the file. Throws DocumentsInvalid, with every fault, if it cannot be published. */
export function withoutFaults(file: AgentManifestFile): AgentManifestFile {
  const { path, publication } = file;
  if (publication.ok) return file;
  throw badDocuments(publication.faults.map((fault) => ofNote(dirname(path), fault)));
}
