/** Reads a manifest or a graph recipe. Both say `apiVersion: coreason.ai/v2`, and only a graph recipe has a topology. */
import type { AgentManifest, GraphRecipe } from '@mandate/schemas/agent-manifest';
import { graphRecipeIn, isGraphRecipe } from './graph/read-graph-recipe.ts';
import type { AgentManifestFault, AgentManifestWarning } from './read/fault.ts';
import type { ManifestFiles } from './read/manifest-files.ts';
import type { KnownModels } from './read/models.ts';
import { agentManifestIn, mainFile } from './read/read-agent-manifest.ts';

export type ReadManifestOrGraph =
  | { ok: true; document: AgentManifest | GraphRecipe; warnings: readonly AgentManifestWarning[] }
  | { ok: false; faults: readonly AgentManifestFault[] };

/** @param main the path of the document in `files` */
export function loadManifestOrGraph(
  files: ManifestFiles,
  main: string,
  options: KnownModels = {},
): ReadManifestOrGraph {
  const read = mainFile(files, main);
  if (!read.ok) return read;
  if (isGraphRecipe(read.file.value)) {
    const graph = graphRecipeIn(read.file);
    return graph.ok ? { ok: true, document: graph.recipe, warnings: graph.warnings } : graph;
  }
  const workflow = agentManifestIn(read.file, files, options);
  return workflow.ok ? { ok: true, document: workflow.manifest, warnings: workflow.warnings } : workflow;
}
