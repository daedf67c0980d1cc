/**
 * Reads agents, policies and rules from files and folders, and combines them. Manifests and agent manifests in these
 * folders become such documents too.
 */

import { dirname, join } from 'node:path';
import { type ControlDocuments, type LoadedControl, loadControl } from '@mandate/control';
import { currentDocumentsOf, LISTS } from '@mandate/control/plan';
import type { CompiledManifest, ManifestFault } from '@mandate/manifest';
import { describeFault } from '@mandate/policy/documents';
import { MandateError, readNamedFile } from '@mandate/runtime';
import type { AgentDocument, PolicyDocument, RuleDocument } from '@mandate/schemas';
import { type PublishableManifest, withoutAgentManifests } from './agent-manifests/agent-manifests-in.ts';
import { describeNote, isAgentManifest } from './agent-manifests/read-agent-manifest-file.ts';
import { badDocuments, ofDocument, ofFile, ofManifest, type SaidFault } from './documents-invalid.ts';
import { filesBelow } from './files-below.ts';
import { describeManifestFault } from './manifests/describe-manifest-fault.ts';
import { MANIFEST_FILE, POLICY_FILE, withoutManifests } from './manifests/manifest-folder.ts';
import { type ManifestOptions, readManifest } from './manifests/read-manifest.ts';

/**
 * Matches names of document files. Test files with cases (`*.test.yaml`) may be in the same folders, and are not
 * matched.
 */
export const DOCUMENTS = /(?<!\.test)\.(?:ya?ml|json)$/;

export type ControlFiles = {
  documents: ControlDocuments;
  /** The file of each document, by kind and id, such as `policy read-only`. */
  files: ReadonlyMap<string, string>;
  /** The names in `files` of the documents that manifests become. No such document has a file of its own. */
  ofManifests: ReadonlySet<string>;
  /** The documents of each manifest, by its folder. */
  manifests: ReadonlyMap<string, CompiledManifest>;
  /** The agent manifests, by their ids. `documents` contains what they compile to. */
  agentManifests: ReadonlyMap<string, PublishableManifest>;
  /** The warnings about manifests. `warnings` contains them too. */
  manifestWarnings: readonly ManifestFault[];
  /** Returns a line for each entry that probably does not mean what its author wanted. */
  warnings(): readonly string[];
};

/**
 * @param warnings gets a line for each entry that probably does not mean what its author wanted
 * @throws DocumentsInvalid, which names every fault by file, line and column, or says that there is no
 * document
 */
export function readControlFiles(
  paths: readonly string[],
  warnings?: string[],
  options: ManifestOptions = {},
): ControlDocuments {
  const { documents, warnings: found } = mustHaveDocuments(paths, controlFilesIn(paths, options));
  warnings?.push(...found());
  return documents;
}

/** @throws MandateError DOCUMENTS_INVALID if there is no document */
export function mustHaveDocuments(paths: readonly string[], read: ControlFiles): ControlFiles {
  if (read.files.size > 0) return read;
  throw new MandateError('DOCUMENTS_INVALID', `${paths.join(', ')} has no agent, policy or rule`, {
    remedy: 'Name files that end in .yaml, .yml or .json, or a folder of them.',
  });
}

/** Like `readControlFiles`, but also accepts paths without any document. */
export function controlFilesIn(paths: readonly string[], options: ManifestOptions = {}): ControlFiles {
  const documents = {
    agents: new Map<string, AgentDocument>(),
    policies: new Map<string, PolicyDocument>(),
    rules: new Map<string, RuleDocument>(),
  };
  const files = new Map<string, string>();
  const faults: SaidFault[] = [];
  const warnings: [file: string, of: Extract<LoadedControl, { ok: true }>['warnings']][] = [];
  const add = (file: string, { kind, id, document }: Added) => {
    const name = `${kind} ${id}`;
    const before = files.get(name);
    if (before !== undefined) {
      const message = `the ${kind} "${id}" is already in ${before}`;
      faults.push(ofFile(file, message, 'Remove one of the two, or give it another id.'));
    }
    files.set(name, file);
    (documents[LISTS[kind]] as Map<string, unknown>).set(id, document);
  };
  const all = withoutAgentManifests(
    paths.flatMap((path) => filesBelow(path, DOCUMENTS)),
    paths,
  );
  const { manifests, others } = withoutManifests(all.others);
  for (const file of others) {
    const read = loadControl(readNamedFile(file));
    if (!read.ok) {
      faults.push(...read.faults.map((fault) => ofDocument(file, fault)));
      continue;
    }
    warnings.push([file, read.warnings]);
    for (const one of currentDocumentsOf(read.documents)) add(file, one);
  }
  const manifestWarnings: ManifestFault[] = [];
  const compiled = new Map<string, CompiledManifest>();
  const ofManifests = new Set<string>();
  for (const folder of manifests) {
    const read = readManifest(folder, options);
    manifestWarnings.push(...read.warnings);
    if (!read.ok) {
      faults.push(...read.faults.map(ofManifest));
      continue;
    }
    compiled.set(folder, read.compiled);
    for (const [file, one] of withFiles(folder, read.compiled)) {
      add(file, one);
      ofManifests.add(`${one.kind} ${one.id}`);
    }
  }
  faults.push(...all.faults);
  const agentManifests = new Map<string, PublishableManifest>();
  for (const manifest of all.agentManifests) {
    const { published, path } = manifest;
    agentManifests.set(published.id, manifest);
    for (const one of currentDocumentsOf(documentsOfManifest(published))) {
      add(path, one);
      ofManifests.add(`${one.kind} ${one.id}`);
    }
  }
  if (options.environment !== undefined && manifests.length === 0)
    throw withoutEffect(paths, options.environment);
  if (faults.length === 0) {
    const declared = new Set([...documents.policies.values()].flatMap(({ tools = [] }) => tools));
    const told = () => [
      ...warnings.flatMap(([file, of]) => of(declared).map((warning) => describeFault(file, warning))),
      ...manifestWarnings.map((warning) => describeManifestFault(warning)),
      ...all.agentManifests.flatMap(({ path, warnings: found }) =>
        found.map((warning) => describeNote(dirname(path), warning)),
      ),
    ];
    const read = { documents, files, ofManifests, manifests: compiled, agentManifests };
    return { ...read, manifestWarnings, warnings: told };
  }
  throw badDocuments(faults);
}

/** True if the files, or folders of files, contain a manifest. */
export function holdManifest(paths: readonly string[]): boolean {
  const files = paths.flatMap((path) => filesBelow(path, DOCUMENTS));
  return withoutManifests(files.filter((file) => !isAgentManifest(file))).manifests.length > 0;
}

type Added = Pick<ReturnType<typeof currentDocumentsOf>[number], 'kind' | 'id' | 'document'>;

/** Returns the documents of a manifest, each with the file that says most of it. */
function withFiles(folder: string, compiled: CompiledManifest): readonly (readonly [string, Added])[] {
  return currentDocumentsOf(documentsOfManifest(compiled)).map((one) => {
    const file = one.kind === 'agent' ? MANIFEST_FILE : POLICY_FILE;
    return [join(folder, file), one];
  });
}

export function documentsOfManifest({
  agents,
  policies,
  rules,
}: Pick<CompiledManifest, 'agents' | 'policies' | 'rules'>): ControlDocuments {
  const byId = <T extends { id: string }>(list: readonly T[]) => new Map(list.map((one) => [one.id, one]));
  return { agents: byId(agents), policies: byId(policies), rules: byId(rules) };
}

function withoutEffect(paths: readonly string[], environment: string): MandateError {
  return new MandateError(
    'DOCUMENTS_INVALID',
    `the environment "${environment}" has no effect, because ${paths.join(', ')} has no ${MANIFEST_FILE}`,
    { remedy: 'Name no environment, or name the folder of a manifest.' },
  );
}
