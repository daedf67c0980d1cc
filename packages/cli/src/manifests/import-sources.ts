/** Finds and reads the files of an import. */
import { existsSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { ImportFormat, ImportSource } from '@mandate/agent-manifest';
import { filesBelow } from '@mandate/documents';
import type { CommandContext } from '../command-context.ts';
import { WrongUse } from '../exit-codes.ts';
import { readText } from '../input/open-input.ts';

const MOST_FILES = 1_000;

export type SourcesFound = {
  sources: readonly ImportSource[];
  /** Files of a folder that are not agents: Markdown without frontmatter. */
  skipped: readonly string[];
};

/**
 * Reads files and folders. A folder has Markdown files with one agent each, or the two files of a crew. If a crew is
 * named by one of its files, its other file is read too.
 */
export async function importSources(
  paths: readonly string[],
  format: ImportFormat | null,
  context: CommandContext,
): Promise<SourcesFound> {
  const sources: ImportSource[] = [];
  const skipped: string[] = [];
  for (const path of paths) {
    const isFolder = path !== '-' && statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
    const files = isFolder ? filesOfFolder(path, format) : [path, ...otherOfCrew(path, format)];
    for (const file of files) {
      const text = await readText(file, context);
      if (isFolder && /\.md$/i.test(file) && !text.replace(/^\uFEFF/, '').startsWith('---'))
        skipped.push(file);
      else sources.push({ path: file === '-' ? 'stdin' : file, text });
      if (sources.length > MOST_FILES)
        throw new WrongUse(`more than ${MOST_FILES} files`, 'Import a smaller folder.');
    }
  }
  return { sources, skipped };
}

const CREW = ['agents.yaml', 'tasks.yaml'];

function filesOfFolder(folder: string, format: ImportFormat | null): readonly string[] {
  const crew = CREW.map((name) => join(folder, name)).filter((file) => existsSync(file));
  if (crew.length > 0 && (format === null || format === 'crewai')) return crew;
  const agents = filesBelow(folder, format === 'copilot' ? /\.agent\.md$/i : /\.md$/i);
  if (agents.length === 0) throw new WrongUse(`${folder} has no file to import`, 'Name a file.');
  return agents;
}

function otherOfCrew(path: string, format: ImportFormat | null): readonly string[] {
  if (!CREW.includes(basename(path)) || (format !== null && format !== 'crewai')) return [];
  return CREW.map((name) => join(dirname(path), name)).filter(
    (file) => basename(file) !== basename(path) && existsSync(file),
  );
}
