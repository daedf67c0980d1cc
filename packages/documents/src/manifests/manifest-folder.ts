/**
 * Finds the folders of manifests. Such a folder contains `manifest.yaml` and `policy.yaml`, and an overlay for each
 * environment: `policy.production.yaml`. It may contain `config.yaml`, the categories of memories. Ordinary documents may be in the same folder. They state their `kind`, and the
 * files of a manifest state none.
 */
import { existsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { saysKind } from '@mandate/policy/documents';
import { readNamedFile } from '@mandate/runtime';

export const MANIFEST_FILE = 'manifest.yaml';
export const POLICY_FILE = 'policy.yaml';
export const CONFIG_FILE = 'config.yaml';

export function overlayFile(environment: string): string {
  return `policy.${environment}.yaml`;
}

const FILES_OF_MANIFEST = /^(?:manifest|policy|policy\.[^/\\]+|config)\.yaml$/;

/**
 * Separates the files of manifests from other files. `manifests`: the folders, each once. A folder is also found by
 * one file of its manifest.
 */
export function withoutManifests(files: readonly string[]): {
  manifests: readonly string[];
  others: readonly string[];
} {
  const isManifest = once((folder: string) => holdsManifest(folder));
  const manifests = new Set<string>();
  const others = files.filter((file) => {
    const folder = dirname(file);
    if (!FILES_OF_MANIFEST.test(basename(file)) || !isManifest(folder) || statesKind(file)) return true;
    manifests.add(folder);
    return false;
  });
  return { manifests: [...manifests], others };
}

function holdsManifest(folder: string): boolean {
  const path = join(folder, MANIFEST_FILE);
  return existsSync(path) && !statesKind(path);
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
