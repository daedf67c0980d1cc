/** The packages that are published. Each is built from one workspace, and contains the other workspaces it needs. */
import { join } from 'node:path';
import { ROOT, readManifest, type Workspace } from './workspaces.ts';

export type Published = Workspace & {
  /** The name in the registry. */
  name: string;
  keywords: readonly string[];
  /**
   * `library`: a few files to import, with declarations. Its subpaths are the exports of the workspace. `program`: a
   * file for each module, in the folders of the repository, with a command of this name.
   */
  kind: 'library' | 'program';
  /** The oldest Node that runs the package, as major and minor version. */
  oldestNode: readonly [number, number];
};

const KEYWORDS = ['ai', 'agents', 'governance', 'policy', 'budget'];

export const PUBLISHED: readonly Published[] = [
  published('packages/sdk', {
    name: '@mandate/sdk',
    kind: 'library',
    // The engine needs `Map.groupBy`.
    oldestNode: [22, 13],
    keywords: [...KEYWORDS, 'llm', 'tools'],
  }),
  published('packages/cli', {
    name: 'mandate',
    kind: 'program',
    // A plane needs SQLite and zstd. Older versions have no zstd, or SQLite only with a flag.
    oldestNode: [22, 15],
    keywords: [...KEYWORDS, 'audit', 'cli'],
  }),
];

/** The entry of a program. Its module runs the command. */
export const PROGRAM_ENTRY = 'src/main.ts';

function published(path: string, facts: Omit<Published, keyof Workspace>): Published {
  const folder = join(ROOT, path);
  return { ...facts, folder, manifest: readManifest(folder) };
}
