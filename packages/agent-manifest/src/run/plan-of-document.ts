/** The plan of a run of a manifest with a workflow, or of a graph recipe. */
import type { AgentManifest, GraphRecipe } from '@mandate/schemas/agent-manifest';
import type { CompileOptions } from '../compile/compiled.ts';
import { graphPlan } from './graph-plan.ts';
import type { RunPlan } from './run-plan.ts';
import { workflowOf, workflowPlan } from './workflow-plan.ts';

/**
 * @param agent the key of the agent, if a manifest has no workflow
 * @param options the options of the compilation
 * @returns null if the manifest has no such agent
 */
export function planOfDocument(
  document: AgentManifest | GraphRecipe,
  agent: string | null,
  options: Pick<CompileOptions, 'mostVisits'> = {},
): RunPlan | null {
  if ('topology' in document) return graphPlan(document, options);
  const workflow = workflowOf(document, agent);
  return workflow === null ? null : workflowPlan(document, workflow);
}
