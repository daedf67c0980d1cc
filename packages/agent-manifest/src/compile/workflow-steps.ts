/** The steps of a manifest, as actions of its own agent. */
import type { AgentManifest, Step } from '@mandate/schemas/agent-manifest';
import type { Catalog, Entry } from '../catalog.ts';

/**
 * `asks`: the agents or models that the step names. `path`: the place of the step, or of its agent, in the manifest.
 */
export type CompiledStep = {
  tool: string;
  type: Step['type'];
  asks: readonly { reference: string; path: string }[];
  path: string;
};

/** The part of an agent's id after the id of the manifest: its key, or its id in a pack. */
export function ownIdOf({ key, id }: Entry<'agent'>): string {
  return key ?? id;
}

/** Without a workflow, each agent is a separate step. */
export function compiledStepsOf({ workflow }: AgentManifest, catalog: Catalog): readonly CompiledStep[] {
  if (workflow === undefined) {
    return catalog.agent.entries.map((entry) => {
      const { path } = entry;
      return {
        tool: stepTool(ownIdOf(entry)),
        type: 'agent',
        asks: [{ reference: ownIdOf(entry), path }],
        path,
      };
    });
  }
  return Object.entries(workflow.steps).map(([key, step]) => {
    const path = `workflow.steps.${key}`;
    return { tool: stepTool(key), type: step.type, asks: agentsOf(step, path), path };
  });
}

function stepTool(key: string): string {
  return `step.${key}`;
}

function agentsOf(step: Step, path: string): CompiledStep['asks'] {
  if (step.type === 'agent') return [{ reference: step.agent, path: `${path}.agent` }];
  if (step.type !== 'council') return [];
  return step.voters.map((reference, at) => ({ reference, path: `${path}.voters.${at}` }));
}
