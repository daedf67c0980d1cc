/** Reads an agent manifest from a file, with the files that it refers to, as it would be published. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type ManifestFiles,
  type Publication,
  type PublicationNote,
  type PublicationOptions,
  publicationOf,
} from '@mandate/agent-manifest';
import { apiVersionIn, describeFault } from '@mandate/policy/documents';
import { textOfFile } from '@mandate/runtime';
import { AGENT_MANIFEST_VERSION, type GateDocument } from '@mandate/schemas/agent-manifest';
import { manifestWithFiles } from './folder-files.ts';

export type AgentManifestFile = {
  path: string;
  publication: Publication;
  /** The text of the manifest. */
  text: string;
  /** The texts of the files that it refers to, by their paths from its folder. */
  files: Readonly<Record<string, string>>;
};

/**
 * @param gate null: everything is allowed
 * @throws MandateError FILE_UNREADABLE, or NotUtf8Error
 */
export function readAgentManifestFile(
  path: string,
  options: PublicationOptions = {},
  gate: GateDocument | null = null,
): AgentManifestFile {
  const { main, source, files } = manifestWithFiles(path);
  const read = new Map<string, Uint8Array | string>();
  const watched: ManifestFiles = {
    ...files,
    read(name) {
      const found = files.read(name);
      if (found.found === 'source' && name !== main) read.set(name, found.source);
      return found;
    },
  };
  const publication = publicationOf(watched, main, options, gate);
  const texts = [...read].map(([name, source]) => [name, textIn(source)] as const);
  return { path, publication, text: textOfFile(source), files: Object.fromEntries(texts) };
}

function textIn(source: Uint8Array | string): string {
  return typeof source === 'string' ? source : textOfFile(source);
}

/** True if the file is an agent manifest. Control documents have a `kind` too, but no `apiVersion`. */
export function isAgentManifest(path: string): boolean {
  const bytes = readFileSync(path);
  // Most files are other documents, and finding the version takes as long as reading the whole file.
  return bytes.includes(AGENT_MANIFEST_VERSION) && apiVersionIn(bytes) === AGENT_MANIFEST_VERSION;
}

/** Returns a fault or a warning in the form that people and editors read, with its code at the end. */
export function describeNote(folder: string, note: PublicationNote, severity: '' | 'warning: ' = ''): string {
  const { file, line, column, path, message, code } = note;
  const place = { line: line ?? 1, column: column ?? 1, path, message };
  return `${describeFault(join(folder, file), place, severity)} (${code})`;
}
