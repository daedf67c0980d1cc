/** Reads agents, policies and rules from files and folders, and combines them. */

import { type ControlDocuments, type LoadedControl, loadControl } from '@mandate/control';
import { currentDocumentsOf, LISTS } from '@mandate/control/plan';
import { describeFault } from '@mandate/policy/documents';
import { MandateError, readNamedFile } from '@mandate/runtime';
import type { AgentDocument, PolicyDocument, RuleDocument } from '@mandate/schemas';
import { filesBelow } from './files-below.ts';

/**
 * Matches names of document files. Test files with cases (`*.test.yaml`) may be in the same folders, and are not
 * matched.
 */
const DOCUMENTS = /(?<!\.test)\.(?:ya?ml|json)$/;

export type ControlFiles = {
  documents: ControlDocuments;
  /** The file of each document, by kind and id, such as `policy read-only`. */
  files: ReadonlyMap<string, string>;
  /** Returns a line for each entry that probably does not mean what its author wanted. */
  warnings(): readonly string[];
};

/**
 * @param warnings gets a line for each entry that probably does not mean what its author wanted
 * @throws MandateError DOCUMENTS_INVALID, which names every fault by file, line and column, or says that there is no
 * document
 */
export function readControlFiles(paths: readonly string[], warnings?: string[]): ControlDocuments {
  const { documents, files, warnings: found } = controlFilesIn(paths);
  warnings?.push(...found());
  if (files.size > 0) return documents;
  throw new MandateError('DOCUMENTS_INVALID', `${paths.join(', ')} has no agent, policy or rule`, {
    remedy: 'Name files that end in .yaml, .yml or .json, or a folder of them.',
  });
}

/** Like `readControlFiles`, but also accepts paths without any document. */
export function controlFilesIn(paths: readonly string[]): ControlFiles {
  const documents = {
    agents: new Map<string, AgentDocument>(),
    policies: new Map<string, PolicyDocument>(),
    rules: new Map<string, RuleDocument>(),
  };
  const files = new Map<string, string>();
  const faults: string[] = [];
  const warnings: [file: string, of: Extract<LoadedControl, { ok: true }>['warnings']][] = [];
  for (const file of paths.flatMap((path) => filesBelow(path, DOCUMENTS))) {
    const read = loadControl(readNamedFile(file));
    if (!read.ok) {
      faults.push(...read.faults.map((fault) => describeFault(file, fault)));
      continue;
    }
    warnings.push([file, read.warnings]);
    for (const { kind, id, document } of currentDocumentsOf(read.documents)) {
      const name = `${kind} ${id}`;
      const before = files.get(name);
      if (before !== undefined) faults.push(`${file}: the ${kind} "${id}" is already in ${before}`);
      files.set(name, file);
      (documents[LISTS[kind]] as Map<string, unknown>).set(id, document);
    }
  }
  if (faults.length === 0) {
    const declared = new Set([...documents.policies.values()].flatMap(({ tools = [] }) => tools));
    const told = () =>
      warnings.flatMap(([file, of]) => of(declared).map((warning) => describeFault(file, warning)));
    return { documents, files, warnings: told };
  }
  throw new MandateError('DOCUMENTS_INVALID', `these documents are bad\n${faults.join('\n')}`, {
    remedy: 'Correct them at these places.',
  });
}
