/** Reads the manifest of a folder, and compiles it to agents, policies and rules. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import {
  type CompiledManifest,
  compiledFaults,
  compileManifest,
  loadManifest,
  type ManifestFault,
} from '@mandate/manifest';
import { describeFault } from '@mandate/policy/documents';
import { MandateError, readNamedFile } from '@mandate/runtime';
import { MANIFEST_FILE, overlayFile, POLICY_FILE } from './manifest-folder.ts';

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
} & (
  | {
      ok: true;
      compiled: CompiledManifest;
      /** The files that were read. */
      files: readonly string[];
    }
  | { ok: false; faults: readonly ManifestFault[] }
);

/** @throws MandateError FILE_UNREADABLE if the folder has no `policy.yaml`, or if a file cannot be read */
export function readManifest(folder: string, { environment, lenient }: ManifestOptions = {}): ManifestRead {
  const manifest = join(folder, MANIFEST_FILE);
  const policy = join(folder, POLICY_FILE);
  const overlays = overlayPaths(folder, environment);
  const [overlay] = overlays;
  const loaded = loadManifest({
    manifest: readNamedFile(manifest),
    policy: readNamedFile(policy),
    mode: lenient ? 'lenient' : 'strict',
    ...(environment !== undefined && { environment }),
    ...(overlay !== undefined && { overlay: readNamedFile(overlay) }),
  });
  const inFolder = (faults: readonly ManifestFault[]) =>
    faults.map((fault) => ({ ...fault, file: join(folder, fault.file) }));
  const warnings = inFolder(loaded.warnings);
  if (!loaded.ok) return { ok: false, faults: inFolder(loaded.errors), warnings };
  const compiled = compileManifest(loaded);
  const refused = compiledFaults(compiled);
  if (refused.length === 0) return { ok: true, compiled, files: [manifest, policy, ...overlays], warnings };
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

/** @throws MandateError DOCUMENTS_INVALID if the environment cannot be part of the name of a file */
function overlayPaths(folder: string, environment: string | undefined): readonly string[] {
  if (environment === undefined) return [];
  if (!ENVIRONMENT.test(environment))
    throw new MandateError('DOCUMENTS_INVALID', `"${environment}" is no name of an environment`, {
      remedy: 'A name has letters, digits, dots, - and _: production.',
    });
  const path = join(folder, overlayFile(environment));
  return existsSync(path) ? [path] : [];
}

const ENVIRONMENT = /^[\p{L}\p{N}_][\p{L}\p{N}._-]{0,99}$/u;

/** Returns a fault in the form that people and editors read, with its code at the end. */
export function describeManifestFault(
  { file, code, ...fault }: ManifestFault,
  severity: '' | 'warning: ' = '',
): string {
  return `${describeFault(file, fault, severity)} (${code})`;
}
