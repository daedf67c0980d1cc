/** Reads the file of an agent manifest or of a graph recipe, for commands that change nothing. */
import { readManifestOrGraph } from '@mandate/documents/manifest-or-graph';
import type { AgentManifestFlags } from './agent-manifest-options.ts';

export type ManifestOfFile = ReturnType<typeof readManifestOrGraph>;

/** @throws DocumentsInvalid, with every fault of the file */
export function manifestOfFile(path: string, flags: AgentManifestFlags): ManifestOfFile {
  return readManifestOrGraph(path, flags);
}
