/** Reads a manifest or a graph recipe. Both say `apiVersion: coreason.ai/v2`, and only a graph recipe has a topology. */
import type { AgentManifest, GraphRecipe } from '@mandate/schemas/agent-manifest';
import type { KnownAgents } from './graph/named-agents.ts';
import { graphRecipeIn, isGraphRecipe } from './graph/read-graph-recipe.ts';
import type { AgentManifestFault, AgentManifestWarning } from './read/fault.ts';
import type { ManifestFiles } from './read/manifest-files.ts';
import type { KnownModels } from './read/models.ts';
import { agentManifestIn, mainFile } from './read/read-agent-manifest.ts';

export type ReadManifestOrGraph = {
  /** The paths of the files that definitions of the manifest refer to. */
  files: readonly string[];
} & (
  | { ok: true; document: AgentManifest | GraphRecipe; warnings: readonly AgentManifestWarning[] }
  | { ok: false; faults: readonly AgentManifestFault[] }
);

/** @param main the path of the document in `files` */
export function loadManifestOrGraph(
  files: ManifestFiles,
  main: string,
  options: KnownModels & KnownAgents = {},
): ReadManifestOrGraph {
  const read = mainFile(files, main);
  if (!read.ok) return { ...read, files: [] };
  if (isGraphRecipe(read.file.value)) {
    const graph = graphRecipeIn(read.file, options);
    return graph.ok
      ? { ok: true, files: [], document: graph.recipe, warnings: graph.warnings }
      : { ...graph, files: [] };
  }
  const workflow = agentManifestIn(read.file, files, options);
  if (!workflow.ok) return workflow;
  const { manifest: document, warnings, files: beside } = workflow;
  return { ok: true, files: beside, document, warnings };
}
