/** Reads an agent manifest from a file, with the files that it refers to. */
import { basename, dirname, join } from 'node:path';
import { loadAgentManifest, type ReadAgentManifest, type ReadOptions } from '@mandate/agent-manifest';
import { readNamedFile } from '@mandate/runtime';
import { filesInFolder } from './folder-files.ts';

/**
 * Faults and warnings name their files with the path of the folder.
 *
 * @param models the models that a step may name
 * @throws MandateError FILE_UNREADABLE
 */
export function loadAgentManifestFile(
  path: string,
  models: Pick<ReadOptions, 'models' | 'directModels'> = {},
): ReadAgentManifest {
  const [folder, main] = [dirname(path), basename(path)];
  const source = readNamedFile(path);
  const beside = filesInFolder(folder);
  const files = {
    ...beside,
    // The manifest itself may be a link or a pipe, because a person named it.
    read: (name: string) => (name === main ? { found: 'source' as const, source } : beside.read(name)),
  };
  const read = loadAgentManifest(files, main, models);
  const inFolder = <Fault extends { file: string }>(fault: Fault) => ({
    ...fault,
    file: join(folder, fault.file),
  });
  return read.ok
    ? { ...read, warnings: read.warnings.map(inFolder) }
    : { ...read, faults: read.faults.map(inFolder) };
}
