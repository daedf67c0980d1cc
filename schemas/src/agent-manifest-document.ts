/**
 * The agent manifest (`coreason.ai/v2`): agents, tools, skills, resources and packs with a workflow of steps. The
 * document is kept as written: no default is filled in, so that its hash depends only on what its author wrote. Where
 * a field may be absent, its description says what the absence means.
 *
 * Only the form is checked here. `@mandate/agent-manifest` checks references, schemas, expressions and paths.
 */
import { z } from 'zod';
import {
  agentDefinition,
  definitionName,
  genericDefinition,
  packDefinition,
  resourceDefinition,
  skillDefinition,
  toolDefinition,
} from './agent-manifest-definitions.ts';
import { anyMap, manifestText } from './agent-manifest-fields.ts';
import { apiVersion, metadata, sides } from './agent-manifest-head.ts';
import { stepDocument } from './agent-manifest-steps.ts';
import { described } from './described.ts';

const state = z.strictObject({
  schema: described(
    anyMap.optional(),
    'The members of an output that become state, with their JSON Schemas.',
    { draft: { type: 'string' } },
  ),
  backend: described(
    manifestText().optional(),
    'Ignored: the state of a run is computed from its events.',
    'memory',
  ),
});

const policy = z.strictObject({
  max_steps: described(
    z.int().min(1).max(10_000).optional(),
    'How many visits of steps a run may make. Absent: no limit.',
    20,
  ),
  max_retries: described(
    z.int().min(0).max(100).optional(),
    'How often a step that failed is tried again. Absent: 3.',
    3,
  ),
  timeout: described(
    z.int().min(1).max(2_678_400).optional(),
    'How many seconds a run may work. Waiting for people does not count. Absent: no limit.',
    600,
  ),
  human_in_the_loop: described(
    z.boolean().optional(),
    'True if a person confirms each agent, logic and council step, and each tool that is not safe.',
    false,
  ),
});

const definitions = described(
  z.record(
    definitionName,
    z.discriminatedUnion('type', [
      toolDefinition,
      agentDefinition,
      skillDefinition,
      resourceDefinition,
      packDefinition,
      genericDefinition,
    ]),
  ),
  'Tools, agents, skills, resources and packs, by their keys.',
  { search: { type: 'tool', name: 'Search', uri: 'mcp://search.example.com', risk_level: 'safe' } },
);

const workflow = z.strictObject({
  start: described(manifestText(), 'The step with which a run begins.', 'search'),
  steps: described(
    z
      .record(definitionName, stepDocument)
      .refine((steps) => Object.keys(steps).length > 0, { error: 'must have at least one step' }),
    'The steps, by their keys.',
    { search: { type: 'agent', agent: 'researcher' } },
  ),
});

export const agentManifestDocument = z
  .strictObject({
    apiVersion,
    kind: described(
      z.enum(['Recipe', 'Agent']),
      'Recipe: agents with a workflow. Agent: agents alone; a workflow is optional.',
    ),
    metadata: described(metadata, 'The name, the version, and what else is known about the manifest.'),
    interface: described(sides.optional(), 'What a run is given, and what it answers.'),
    state: described(state.optional(), 'What the steps of a run share.'),
    policy: described(policy.optional(), 'The limits of a run.'),
    definitions: definitions.optional(),
    workflow: described(workflow.optional(), 'The steps of a run. Required for a Recipe.'),
  })
  .meta({
    title: 'agent manifest',
    description: 'Agents, tools, skills, resources and packs with a workflow of steps.',
  });

/** A manifest as written, with its `$ref`s resolved. */
export type AgentManifest = z.infer<typeof agentManifestDocument>;
export type Definition = NonNullable<AgentManifest['definitions']>[string];
export type Workflow = NonNullable<AgentManifest['workflow']>;
export type ManifestPolicy = NonNullable<AgentManifest['policy']>;
export type ManifestInterface = NonNullable<AgentManifest['interface']>;
