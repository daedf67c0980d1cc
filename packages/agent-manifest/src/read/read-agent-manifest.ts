/** Reads an agent manifest. */
import type { DocumentSource } from '@mandate/policy/documents';
import type { AgentManifest } from '@mandate/schemas/agent-manifest';
import { checkMeaning } from './check-meaning.ts';
import { followReferences, type Origin } from './definition-files.ts';
import type { AgentManifestFault, AgentManifestWarning } from './fault.ts';
import { type ManifestFiles, NO_FILES } from './manifest-files.ts';
import type { KnownModels } from './models.ts';
import { type FindInFiles, placed } from './placed.ts';
import { readStructure } from './read-structure.ts';
import { readSource, type SourceFile, type SourceRead } from './source-file.ts';

export type ReadOptions = KnownModels & {
  /** The name of the manifest, for the places of faults. Default: `manifest.yaml`. */
  file?: string;
};

/**
 * A manifest with a fault is refused. No warnings are searched for then, because they may be consequences of the fault.
 */
export type ReadAgentManifest = {
  /** The paths of the other files to which definitions refer. */
  files: readonly string[];
} & (
  | { ok: true; manifest: AgentManifest; warnings: readonly AgentManifestWarning[] }
  | { ok: false; faults: readonly AgentManifestFault[] }
);

/** Reads a manifest that consists of one file. A reference (`$ref`) to another file leads to nothing. */
export function readAgentManifest(source: DocumentSource, options: ReadOptions = {}): ReadAgentManifest {
  const read = readSource(options.file ?? 'manifest.yaml', source);
  return read.ok ? agentManifestIn(read.file, NO_FILES, options) : { ...read, files: [] };
}

/**
 * Reads a manifest and the files to which it refers. All paths are below the folder of the manifest.
 *
 * @param main the path of the manifest in `files`
 */
export function loadAgentManifest(
  files: ManifestFiles,
  main: string,
  options: KnownModels = {},
): ReadAgentManifest {
  const read = mainFile(files, main);
  return read.ok ? agentManifestIn(read.file, files, options) : { ...read, files: [] };
}

/** Reads the file of a manifest, or of a graph recipe, without checking its meaning. */
export function mainFile(files: ManifestFiles, main: string): SourceRead {
  const read = files.read(main);
  if (read.found === 'source') return readSource(main, read.source);
  const message = `there is no file ${main} that can be read`;
  const fault = { code: 'REF_MISSING', file: main, path: '', line: 1, column: 1, message } as const;
  return { ok: false, faults: [fault] };
}

export function agentManifestIn(
  main: SourceFile,
  files: ManifestFiles,
  models: KnownModels,
): ReadAgentManifest {
  const { value, origins, files: beside, faults } = followReferences(main, files);
  const find = finderOf(main, origins);
  const structure = readStructure(value);
  const ofFields = [...faults, ...(structure.ok ? [] : structure.faults)];
  if (!structure.ok || ofFields.length > 0)
    return { ok: false, files: beside, faults: placed(ofFields, find) };
  const meaning = checkMeaning(structure.manifest, { name: main.name, files, models });
  if (meaning.faults.length > 0) return { ok: false, files: beside, faults: placed(meaning.faults, find) };
  return {
    ok: true,
    files: beside,
    manifest: structure.manifest,
    warnings: placed(meaning.warnings(), find),
  };
}

/** Faults in a definition from another file have their places in that file. */
function finderOf(main: SourceFile, origins: ReadonlyMap<string, Origin>): FindInFiles {
  return (path) => {
    const [first, key, ...within] = path;
    const origin = first === 'definitions' && within.length > 0 ? origins.get(String(key)) : undefined;
    if (origin === undefined || within[0] === '$ref') return { file: main.name, ...main.find(path) };
    return { file: origin.file.name, ...origin.file.find([...origin.path, ...within]) };
  };
}
