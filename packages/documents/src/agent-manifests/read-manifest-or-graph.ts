/** Reads an agent manifest, or a graph recipe, from a file with the files that it refers to. */
import { basename, dirname, join } from 'node:path';
import { loadManifestOrGraph, type ReadOptions } from '@mandate/agent-manifest';
import { readNamedFile } from '@mandate/runtime';
import type { AgentManifest, GraphRecipe } from '@mandate/schemas/agent-manifest';
import { badDocuments, ofManifest } from '../documents-invalid.ts';
import { filesInFolder } from './folder-files.ts';

/**
 * @param models the models that a step may name
 * @throws MandateError FILE_UNREADABLE, or DocumentsInvalid with every fault
 */
export function readManifestOrGraph(
  path: string,
  models: Pick<ReadOptions, 'models' | 'directModels'> = {},
): AgentManifest | GraphRecipe {
  const folder = dirname(path);
  const main = basename(path);
  const source = readNamedFile(path);
  const beside = filesInFolder(folder);
  const files = {
    ...beside,
    // The folder may be a link, and a person may name a file by a link. What the file refers to may not lead out.
    read: (name: string) => (name === main ? { found: 'source' as const, source } : beside.read(name)),
  };
  const read = loadManifestOrGraph(files, main, models);
  if (read.ok) return read.document;
  throw badDocuments(read.faults.map((fault) => ofManifest({ ...fault, file: join(folder, fault.file) })));
}
