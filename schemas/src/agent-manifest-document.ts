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
import { anyMap, design, manifestText, number } from './agent-manifest-fields.ts';
import { stepDocument } from './agent-manifest-steps.ts';
import { described } from './described.ts';
import { time } from './scalars.ts';
import { withCode } from './shape-fault.ts';

export const AGENT_MANIFEST_VERSION = 'coreason.ai/v2';

const apiVersion = described(
  z.string().refine((version) => version === AGENT_MANIFEST_VERSION, {
    error: `must be ${AGENT_MANIFEST_VERSION}: no other version is known`,
    ...withCode('API_VERSION_UNSUPPORTED'),
  }),
  'The version of the form of the document.',
  AGENT_MANIFEST_VERSION,
);

const provenance = z.looseObject({
  type: described(z.enum(['ai', 'human', 'hybrid']), 'Who made the manifest.'),
  generated_by: described(manifestText(), 'The name of the author, person or model.', 'ann'),
  generated_date: described(time.optional(), 'When the manifest was made.', '2026-01-02T03:04:05Z'),
  rationale: described(manifestText().optional(), 'Why the manifest was made.', 'Answers cost too much.'),
  original_intent: described(manifestText().optional(), 'What the author wanted.', 'Answer faster.'),
  confidence_score: described(number(0, 1).optional(), 'How sure the author is, from 0 to 1.', 0.8),
  methodology: described(manifestText().optional(), 'How the manifest was made.', 'By hand.'),
});

const metadata = z.looseObject({
  name: described(manifestText(200), 'The name of the manifest. Its id is made from it.', 'Research'),
  version: described(
    manifestText(64).optional(),
    'The version of the manifest: a text, so write it in quotes. Absent: 0.1.0.',
    '1.0.0',
  ),
  provenance: described(provenance.optional(), 'Where the manifest comes from. It changes no decision.'),
  'x-design': design,
  design_metadata: design,
  requires_auth: described(
    z.boolean().optional(),
    'True if only an authenticated person may use the agents. The gate may require it for critical tools.',
    true,
  ),
});

const sides = z.strictObject({
  inputs: described(
    anyMap.optional(),
    'What a run is given: a JSON Schema of type object, or a map of names to JSON Schemas.',
    { topic: { type: 'string' } },
  ),
  outputs: described(
    anyMap.optional(),
    'What a run answers: a JSON Schema of type object, or a map of names to JSON Schemas.',
    { summary: { type: 'string' } },
  ),
});

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
  start: described(definitionName, 'The step with which a run begins.', 'search'),
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
