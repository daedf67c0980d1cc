/** Checks that every name in a manifest leads to exactly one thing of the right type. */

import type { AgentManifest } from '@mandate/schemas/agent-manifest';
import { listed, nearestName } from '@mandate/schemas/core';
import { isUri } from '../../addresses.ts';
import { type Catalog, type DefinitionKind, findDefinition, findTool } from '../../catalog.ts';
import { type Found, found, type Path } from '../fault.ts';
import { isModel, type KnownModels } from '../models.ts';
import { waysOn } from './workflow.ts';

export function referenceFaults(manifest: AgentManifest, catalog: Catalog, models: KnownModels): Found[] {
  return [
    ...ofAgents(catalog),
    ...ofPacks(manifest, catalog),
    ...ofSteps(manifest, catalog, models),
    ...ofWays(manifest),
  ];
}

function ofAgents(catalog: Catalog): Found[] {
  return catalog.agent.entries.flatMap(({ at, definition: { tools = [], skills = [] } }) => [
    ...tools.flatMap((tool, index): Found[] => {
      const read = findTool(catalog, tool);
      if (read.found === 'ok') return [];
      const written = typeof tool === 'object' && tool.type !== 'inline' ? tool.uri : String(tool);
      return [notFound(catalog, 'tool', [...at, 'tools', index], written, read.found)];
    }),
    ...named(catalog, 'skill', [...at, 'skills'], skills),
  ]);
}

function ofPacks({ definitions = {} }: AgentManifest, catalog: Catalog): Found[] {
  return Object.entries(definitions).flatMap(([key, definition]) => {
    if (definition.type !== 'tool_pack') return [];
    const { tools = [], agents = [], skills = [] } = definition;
    const at = ['definitions', key];
    return [
      ...named(catalog, 'tool', [...at, 'tools'], tools),
      ...named(catalog, 'agent', [...at, 'agents'], agents),
      ...named(catalog, 'skill', [...at, 'skills'], skills),
    ];
  });
}

function ofSteps({ workflow }: AgentManifest, catalog: Catalog, models: KnownModels): Found[] {
  return Object.entries(workflow?.steps ?? {}).flatMap(([key, step]) => {
    const at = ['workflow', 'steps', key];
    if (step.type === 'council') return named(catalog, 'agent', [...at, 'voters'], step.voters);
    if (step.type !== 'agent') return [];
    const read = findDefinition(catalog, 'agent', step.agent);
    const isFound = read.found === 'ok' || isModel(step.agent, read.found, models);
    return [
      ...(isFound ? [] : [notFound(catalog, 'agent', [...at, 'agent'], step.agent, read.found)]),
      ...named(catalog, 'skill', [...at, 'temporary_skills'], step.temporary_skills ?? []),
    ];
  });
}

function ofWays({ workflow }: AgentManifest): Found[] {
  if (workflow === undefined) return [];
  const { start, steps } = workflow;
  const ways = [
    { path: ['workflow', 'start'], target: start },
    ...Object.entries(steps).flatMap(([key, step]) =>
      waysOn(step).map(({ path, target }) => ({ path: ['workflow', 'steps', key, ...path], target })),
    ),
  ];
  return ways
    .filter(({ target }) => !Object.hasOwn(steps, target))
    .map(({ path, target }) =>
      found('REFERENCE_MISSING', path, () => `"${target}" is no step: ${advice(target, Object.keys(steps))}`),
    );
}

/** If the list contains a whole definition, this entry is not a reference. */
function named(catalog: Catalog, kind: Named, path: Path, members: readonly (string | object)[]): Found[] {
  return members.flatMap((member, index): Found[] => {
    if (typeof member !== 'string') return [];
    const read =
      kind === 'tool' ? findDefinition(catalog, kind, member) : findDefinition(catalog, kind, member);
    if (read.found === 'ok') return [];
    return [
      notFound(catalog, kind, [...path, index], member, read.found === 'remote' ? 'missing' : read.found),
    ];
  });
}

type Named = Exclude<DefinitionKind, 'resource'>;

const CODES = {
  missing: 'REFERENCE_MISSING',
  wrong: 'REFERENCE_WRONG_TYPE',
  ambiguous: 'REFERENCE_AMBIGUOUS',
} as const;

function notFound(
  catalog: Catalog,
  kind: Named,
  path: Path,
  written: string,
  why: keyof typeof CODES,
): Found {
  return found(CODES[why], path, () => {
    const candidates = catalog[kind].entries.map(({ key, id }) => key ?? id);
    switch (why) {
      case 'missing':
        return `"${written}" is no ${kind} of the manifest: ${advice(written, candidates)}`;
      case 'wrong':
        return `"${written}" is a definition, but no ${kind}: ${advice(written, candidates)}`;
      default: {
        const others = isUri(written) ? 'address' : 'name';
        return `"${written}" is the ${others} of several definitions: write the key or the id of one of them`;
      }
    }
  });
}

/** The maximum number of pairs of letters that are compared to find the name that the author probably meant. */
const STEPS = 100_000;
const MOST_LISTED = 10;

function advice(written: string, known: readonly string[]): string {
  const meant = nearestName(written, known, STEPS);
  if (meant !== undefined) return `write "${meant}", or define it`;
  const more = known.length > MOST_LISTED ? `, and ${known.length - MOST_LISTED} more` : '';
  return `define it, or write one that there is (${listed(known.slice(0, MOST_LISTED))}${more})`;
}
