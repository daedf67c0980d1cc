/** The files besides a manifest, in the form in which the reader requests them. */
import type { DocumentSource } from '@mandate/policy/documents';

export type FileRead =
  | { found: 'source'; source: DocumentSource }
  | { found: 'missing' }
  /** The file is a link that leads out of the folder. */
  | { found: 'outside' }
  /** The path is not a readable file. `what` completes the phrase "it is …": "a folder". */
  | { found: 'other'; what: string };

/** Paths are in normal form, with `/` between their parts. */
export type ManifestFiles = {
  read(path: string): FileRead;
  /** True if links lead from the path out of the folder of the manifest. False if nothing exists at the path. */
  leadsOut(path: string): boolean;
};

/** The files of a manifest that is given as a text, without a folder. */
export const NO_FILES: ManifestFiles = { read: () => ({ found: 'missing' }), leadsOut: () => false };

/** Files that are given as texts, by their paths. */
export function filesInMemory(texts: Readonly<Record<string, string>>): ManifestFiles {
  return {
    read: (path) => {
      const source = Object.hasOwn(texts, path) ? texts[path] : undefined;
      return source === undefined ? { found: 'missing' } : { found: 'source', source };
    },
    leadsOut: () => false,
  };
}
