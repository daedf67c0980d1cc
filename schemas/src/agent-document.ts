/** An agent as it is registered: what rules may ask of it. An unknown field is an error. */
import { z } from 'zod';
import { CAPS } from './defaults.ts';
import { id, idThat, pathId, plainId } from './scalars.ts';

const label = z.union([z.string().max(CAPS.stringUnits), z.number(), z.boolean()]);

export const agentDocument = z
  .strictObject({
    /** Without a *, which in the globs of keys and rules stands for any. */
    id: idThat(pathId, /^[^*]*$/, 'must hold no *'),
    name: z.string().min(1).max(CAPS.idUnits).optional().describe('A name for people.'),
    groups: z
      .array(plainId)
      .max(CAPS.groups)
      .default([])
      .describe('The groups of the agent, which rules can ask for.'),
    labels: z
      .record(z.string().min(1).max(CAPS.idUnits), label)
      .refine((labels) => Object.keys(labels).length <= CAPS.keys, { error: `must be at most ${CAPS.keys}` })
      .default({}),
    parent: id.optional().describe('The agent that this one is a sub-agent of.'),
    requiresGrant: z
      .boolean()
      .optional()
      .describe('Whether the agent and its descendants act only under a grant.'),
  })
  .meta({ title: 'agent', description: 'An agent, and what rules may ask of it.' });
export type AgentDocument = z.output<typeof agentDocument>;
