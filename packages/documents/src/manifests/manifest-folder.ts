/**
 * Finds the folders of manifests. Such a folder contains `manifest.yaml` and `policy.yaml`, and an overlay for each
 * environment: `policy.production.yaml`. It may contain `config.yaml`, the categories of memories. Ordinary documents
 * may be in the same folder. They state their `kind`, and the files of a manifest state none.
 */
import { existsSync, readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { saysKind } from '@mandate/policy/documents';
import { type MandateError, readNamedFile } from '@mandate/runtime';
import { badFile } from '../documents-invalid.ts';

export const MANIFEST_FILE = 'manifest.yaml';
export const POLICY_FILE = 'policy.yaml';
export const CONFIG_FILE = 'config.yaml';

export function overlayFile(environment: string): string {
  return `policy.${environment}.yaml`;
}

/** Names of environments. Such a name can be part of the name of a file. */
export const ENVIRONMENT = /^[\p{L}\p{N}_][\p{L}\p{N}._-]{0,99}$/u;

/** Returns the environments that have an overlay in the folder, in the order of their names. */
export function environmentsIn(folder: string): readonly string[] {
  return readdirSync(folder)
    .flatMap((name) => /^policy\.(.+)\.yaml$/.exec(name)?.[1] ?? [])
    .filter(
      (environment) => ENVIRONMENT.test(environment) && isOverlay(join(folder, overlayFile(environment))),
    )
    .sort();
}

/** False for an ordinary document, which states its kind, and for a file with test cases, which an overlay never has. */
function isOverlay(path: string): boolean {
  return !statesKind(path) && !/^(?:\{\s*)?["']?cases["']?\s*:/m.test(textIn(path));
}

const FILES_OF_MANIFEST = /^(?:manifest|policy|policy\.[^/\\]+|config)\.yaml$/;
/** Names that a person probably meant as files of a manifest, but that no manifest has. */
const OTHER_ENDING = /^(manifest|policy|policy\.[^/\\]+|config)\.(?:yml|json)$/;

/**
 * Separates the files of manifests from other files. `manifests`: the folders, each once. A folder is also found by
 * one file of its manifest.
 *
 * @throws DocumentsInvalid if a folder has the policy of a manifest, but no manifest, or if a file beside
 * a manifest has a name that the manifest would ignore
 */
export function withoutManifests(files: readonly string[]): {
  manifests: readonly string[];
  others: readonly string[];
} {
  const isManifest = once((folder: string) => holdsManifest(folder));
  const manifests = new Set<string>();
  const others = files.filter((file) => {
    const folder = dirname(file);
    const [, meant] = OTHER_ENDING.exec(basename(file)) ?? [];
    if (meant !== undefined && isManifest(folder) && !statesKind(file)) throw otherEnding(file, meant);
    if (!FILES_OF_MANIFEST.test(basename(file))) return true;
    if (!isManifest(folder)) {
      if (basename(file) !== POLICY_FILE || !permitsTools(file) || statesKind(file)) return true;
      throw halfOfManifest(file, join(folder, MANIFEST_FILE));
    }
    if (statesKind(file)) return true;
    manifests.add(folder);
    return false;
  });
  return { manifests: [...manifests], others };
}

function holdsManifest(folder: string): boolean {
  const path = join(folder, MANIFEST_FILE);
  return existsSync(path) && !statesKind(path);
}

/** True if the file is the policy of a manifest. No other document has the field. */
function permitsTools(path: string): boolean {
  return /^\s*\{?\s*["']?tool_permissions["']?\s*:/m.test(textIn(path));
}

function textIn(path: string): string {
  return new TextDecoder().decode(readNamedFile(path));
}

export function halfOfManifest(file: string, missing: string): MandateError {
  return badFile(
    file,
    `there is ${file}, but no ${missing} beside it`,
    'A manifest needs both. `mandate init manifest` writes both into a new folder, to begin with.',
  );
}

function otherEnding(file: string, meant: string): MandateError {
  return badFile(
    file,
    `${file} is no file of the manifest beside it`,
    `Rename it to ${meant}.yaml. If it is an agent, a policy or a rule, write its kind into it.`,
  );
}

export function statesKind(path: string): boolean {
  return saysKind(readNamedFile(path));
}

function once(ask: (folder: string) => boolean): (folder: string) => boolean {
  const known = new Map<string, boolean>();
  return (folder) => {
    const answer = known.get(folder) ?? ask(folder);
    known.set(folder, answer);
    return answer;
  };
}
