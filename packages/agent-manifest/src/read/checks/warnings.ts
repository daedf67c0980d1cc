/** Warnings: a manifest with warnings can be loaded, but may not mean what its author wanted. */
import type { AgentManifest, Workflow } from '@mandate/schemas/agent-manifest';
import type { Catalog } from '../../catalog.ts';
import { type Found, found, type Path, type WarningCode } from '../fault.ts';
import { isSecret } from './secrets.ts';
import { waysOn } from './workflow.ts';

type Warning = Found<WarningCode>;

export function warningsOf(manifest: AgentManifest, catalog: Catalog): Warning[] {
  return [
    ...ofState(manifest),
    ...namesDefaulted(catalog),
    ...ofDefinitions(manifest),
    ...ofAgents(catalog),
    ...nothingToRun(manifest, catalog),
    ...(manifest.workflow === undefined ? [] : ofWorkflow(manifest.workflow, manifest.policy?.max_steps)),
  ];
}

function ofState({ state }: AgentManifest): Warning[] {
  const backend = state?.backend;
  if (backend === undefined || backend === 'memory') return [];
  return [
    found(
      'BACKEND_IGNORED',
      ['state', 'backend'],
      () => `is ignored: the state of a run is computed from the log, and nothing is stored in ${backend}`,
    ),
  ];
}

function namesDefaulted({ tool, agent, skill }: Catalog): Warning[] {
  return [...tool.entries, ...agent.entries, ...skill.entries].flatMap(({ at, id, definition }): Warning[] =>
    definition.name === undefined
      ? [found('NAME_DEFAULTED', [...at, 'name'], () => `is missing: people see the id "${id}" instead`)]
      : [],
  );
}

function ofDefinitions({ definitions = {} }: AgentManifest): Warning[] {
  return Object.entries(definitions).flatMap(([key, definition]): Warning[] => {
    const at = ['definitions', key];
    if (definition.type === undefined)
      return [
        found(
          'GENERIC_DEFINITION',
          at,
          'has no type, so nothing can refer to it: add type: tool, agent, skill, resource or tool_pack',
        ),
      ];
    if (definition.type !== 'tool_pack') return [];
    return (definition.mcp_servers ?? []).flatMap(({ env }, index) =>
      secretsIn(env, [...at, 'mcp_servers', index, 'env']),
    );
  });
}

function ofAgents({ agent }: Catalog): Warning[] {
  return agent.entries.flatMap(({ at, definition: { model, resources, runtime } }) => [
    ...secretsIn(runtime?.env_vars, [...at, 'runtime', 'env_vars']),
    ...(model === undefined || resources === undefined || resources.model_id === model
      ? []
      : [
          found(
            'MODEL_DIFFERS' as const,
            [...at, 'resources', 'model_id'],
            () => `is not the model of the agent: calls go to "${model}", so correct one of the two`,
          ),
        ]),
  ]);
}

function secretsIn(variables: Readonly<Record<string, string>> | undefined, at: Path): Warning[] {
  return Object.entries(variables ?? {}).flatMap(([name, value]): Warning[] =>
    isSecret(name, value)
      ? [
          found(
            'SECRET_IN_MANIFEST',
            [...at, name],
            () =>
              `holds a secret, which everyone can read who sees the manifest: write \${env:${name}} instead`,
          ),
        ]
      : [],
  );
}

function nothingToRun({ kind, workflow }: AgentManifest, { agent }: Catalog): Warning[] {
  if (kind !== 'Agent' || workflow !== undefined || agent.entries.length > 0) return [];
  return [
    found('NOTHING_TO_RUN', ['definitions'], 'has no agent, and there is no workflow: nothing can be run'),
  ];
}

function ofWorkflow({ start, steps }: Workflow, maxSteps: number | undefined): Warning[] {
  const reached = stepsFrom(start, steps);
  const shortest = Object.entries(steps)
    .filter(([, step]) => waysOn(step).length === 0)
    .map(([key]) => reached.get(key) ?? Number.POSITIVE_INFINITY)
    .reduce((least, visits) => Math.min(least, visits), Number.POSITIVE_INFINITY);
  const tooFew = maxSteps !== undefined && shortest !== Number.POSITIVE_INFINITY && maxSteps < shortest;
  return [
    ...(tooFew
      ? [
          found(
            'MAX_STEPS_TOO_FEW' as const,
            ['policy', 'max_steps'],
            `is too few: the shortest way to an end has ${shortest} steps, so no run can complete`,
          ),
        ]
      : []),
    ...Object.entries(steps).flatMap(([key, step]): Warning[] => {
      const at = ['workflow', 'steps', key];
      const unreachable = found(
        'STEP_UNREACHABLE' as const,
        at,
        `is never begun: no way leads to it from "${start}"`,
      );
      return [...(reached.has(key) ? [] : [unreachable]), ...ofStep(step, at)];
    }),
  ];
}

function ofStep(step: Workflow['steps'][string], at: Path): Warning[] {
  if (step.type === 'switch' && step.default === undefined)
    return [
      found('NO_DEFAULT', [...at, 'default'], 'is missing: the run fails if none of the conditions is true'),
    ];
  if (step.type === 'council' && step.voters.length === 1)
    return [found('COUNCIL_OF_ONE', [...at, 'voters'], 'has one voter: a step of type agent does the same')];
  return [];
}

/** Returns the steps that can be reached, each with the number of visits on the shortest path to it. */
function stepsFrom(start: string, steps: Workflow['steps']): ReadonlyMap<string, number> {
  const reached = new Map([[start, 1]]);
  // New entries of a map come last, and an iteration also visits them. So the nearest steps come first.
  for (const [key, visits] of reached) {
    const step = Object.hasOwn(steps, key) ? steps[key] : undefined;
    for (const { target } of step === undefined ? [] : waysOn(step))
      if (!reached.has(target)) reached.set(target, visits + 1);
  }
  return reached;
}
