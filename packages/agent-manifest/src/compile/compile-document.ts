/** Compiles a manifest with a workflow, or a graph recipe. */
import type { AgentManifest, GraphRecipe } from '@mandate/schemas/agent-manifest';
import { compileGraphRecipe } from '../graph/compile-graph-recipe.ts';
import { compileAgentManifest } from './compile-agent-manifest.ts';
import type { CompiledAgentManifest, CompileOptions, CompileRefused } from './compiled.ts';

export function compileDocument(
  document: AgentManifest | GraphRecipe,
  options: CompileOptions = {},
): CompiledAgentManifest | CompileRefused {
  return 'topology' in document
    ? compileGraphRecipe(document, options)
    : compileAgentManifest(document, options);
}
