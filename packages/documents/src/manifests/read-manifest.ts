/** Reads the manifest of a folder, and compiles it to agents, policies and rules. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import {
  type CompiledManifest,
  compileCategories,
  compiledFaults,
  compileManifest,
  type LoadedCategories,
  loadCategories,
  loadManifest,
  type ManifestFault,
} from '@mandate/manifest';
import { MandateError, readNamedFile } from '@mandate/runtime';
import {
  CONFIG_FILE,
  ENVIRONMENT,
  environmentsIn,
  halfOfManifest,
  MANIFEST_FILE,
  overlayFile,
  POLICY_FILE,
  statesKind,
} from './manifest-folder.ts';

/** How manifests are read. */
export type ManifestOptions = {
  /** The environment. Its overlay is applied to each policy, and must exist. */
  environment?: string | undefined;
  /** True if references that lead nowhere are only warnings. They grant nothing. */
  lenient?: boolean | undefined;
};

/** Faults and warnings name their files with the path of the folder. */
export type ManifestRead = {
  warnings: readonly ManifestFault[];
} & ({ ok: true; compiled: CompiledManifest } | { ok: false; faults: readonly ManifestFault[] });

/**
 * Returns the paths of the files that a manifest consists of. The overlay and the config may not exist. `overlay` null:
 * no environment is named.
 *
 * @throws MandateError DOCUMENTS_INVALID if the environment cannot be part of the name of a file
 */
export function manifestFiles(
  folder: string,
  { environment }: ManifestOptions,
): { manifest: string; policy: string; config: string; overlay: string | null } {
  const files = {
    manifest: join(folder, MANIFEST_FILE),
    policy: join(folder, POLICY_FILE),
    config: join(folder, CONFIG_FILE),
  };
  if (environment === undefined) return { ...files, overlay: null };
  if (!ENVIRONMENT.test(environment))
    throw new MandateError('DOCUMENTS_INVALID', `"${environment}" is no name of an environment`, {
      remedy: 'A name has letters, digits, dots, - and _: production.',
    });
  return { ...files, overlay: join(folder, overlayFile(environment)) };
}

const NO_CATEGORIES = { ok: true, errors: [], warnings: [], categories: null } as const;

/**
 * @throws DocumentsInvalid if the folder has no `policy.yaml`
 * @throws MandateError FILE_UNREADABLE if a file cannot be read
 */
export function readManifest(folder: string, options: ManifestOptions = {}): ManifestRead {
  const { environment, lenient } = options;
  const { manifest, policy, config, overlay } = manifestFiles(folder, options);
  if (!existsSync(policy)) throw halfOfManifest(manifest, policy);
  const loaded = loadManifest({
    manifest: readNamedFile(manifest),
    policy: readNamedFile(policy),
    mode: lenient ? 'lenient' : 'strict',
    ...(environment !== undefined && { environment }),
    ...(overlay !== null && existsSync(overlay) && { overlay: readNamedFile(overlay) }),
    ...(overlay !== null && !existsSync(overlay) && { environments: environmentsIn(folder) }),
  });
  const inFolder = (faults: readonly ManifestFault[]) =>
    faults.map((fault) => ({ ...fault, file: join(folder, fault.file) }));
  // A config that states its kind is an ordinary document.
  const read = existsSync(config) && !statesKind(config) ? readCategories(config) : NO_CATEGORIES;
  const warnings = [...inFolder(loaded.warnings), ...read.warnings];
  if (!loaded.ok || !read.ok)
    return { ok: false, faults: [...inFolder(loaded.errors), ...read.errors], warnings };
  const { categories } = read;
  const compiled = compileManifest(loaded, categories === null ? undefined : compileCategories(categories));
  const refused = compiledFaults(compiled);
  if (refused.length === 0) return { ok: true, compiled, warnings };
  const faults = refused.map(
    ({ message }): ManifestFault => ({
      code: 'VALUE_INVALID',
      file: manifest,
      path: '',
      line: 1,
      column: 1,
      message,
    }),
  );
  return { ok: false, faults, warnings };
}

/** Reads the categories of memories from a file. Faults and warnings name the file with its path. */
export function readCategories(file: string): LoadedCategories {
  const read = loadCategories(readNamedFile(file));
  const inFile = (faults: readonly ManifestFault[]) => faults.map((fault) => ({ ...fault, file }));
  if (!read.ok) return { ...read, errors: inFile(read.errors) };
  return { ...read, warnings: inFile(read.warnings) };
}
