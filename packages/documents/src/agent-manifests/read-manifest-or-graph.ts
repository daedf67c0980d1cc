/** Reads an agent manifest, or a graph recipe, from a file with the files that it refers to. */
import { join } from 'node:path';
import { loadManifestOrGraph, type ReadOptions } from '@mandate/agent-manifest';
import type { AgentManifest, GraphRecipe } from '@mandate/schemas/agent-manifest';
import { badDocuments, ofManifest } from '../documents-invalid.ts';
import { manifestWithFiles } from './folder-files.ts';

type Models = Pick<ReadOptions, 'models' | 'directModels'>;

/**
 * Faults, warnings and the files beside the manifest are named with the folder of the manifest.
 *
 * @param models the models that a step may name
 * @throws MandateError FILE_UNREADABLE
 */
export function checkManifestOrGraph(
  path: string,
  models: Models = {},
): ReturnType<typeof loadManifestOrGraph> {
  const { folder, main, files } = manifestWithFiles(path);
  const read = loadManifestOrGraph(files, main, models);
  const inFolder = <Place extends { file: string }>(places: readonly Place[]) =>
    places.map((place) => ({ ...place, file: join(folder, place.file) }));
  const named = read.files.map((file) => join(folder, file));
  return read.ok
    ? { ...read, files: named, warnings: inFolder(read.warnings) }
    : { ...read, files: named, faults: inFolder(read.faults) };
}

/** @throws MandateError FILE_UNREADABLE, or DocumentsInvalid with every fault */
export function readManifestOrGraph(path: string, models: Models = {}): AgentManifest | GraphRecipe {
  const read = checkManifestOrGraph(path, models);
  if (read.ok) return read.document;
  throw badDocuments(read.faults.map((fault) => ofManifest(fault)));
}
