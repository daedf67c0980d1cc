/** The document of a registered agent. Rules can read its fields. An unknown field is an error. */
import { z } from 'zod';
import { CAPS } from './defaults.ts';
import { described } from './described.ts';
import { id, idThat, pathId, plainId } from './scalars.ts';

const label = z.union([z.string().max(CAPS.stringUnits), z.number(), z.boolean()]);

export const agentDocument = z
  .strictObject({
    id: described(
      idThat(pathId, /^[^*]*$/, 'must not contain *'),
      'The id of the agent. It has no `*`, because a `*` in a pattern means any text.',
      'airline-007',
    ),
    name: described(z.string().min(1).max(CAPS.idUnits).optional(), 'A name for people.', 'Airline support'),
    groups: described(
      z.array(plainId).max(CAPS.groups).default([]),
      'The groups of the agent. Rules can choose agents by group.',
      ['support'],
    ),
    labels: described(
      z
        .record(z.string().min(1).max(CAPS.idUnits), label)
        .refine((labels) => Object.keys(labels).length <= CAPS.keys, {
          error: `must be at most ${CAPS.keys}`,
        })
        .default({}),
      'Labels of the agent, which the author chooses. Conditions of rules can read them.',
      { region: 'eu' },
    ),
    parent: described(
      id.optional(),
      'The parent of the agent. The agent has no more authority than its parent. Absent if the agent has no parent.',
      'airline-lead',
    ),
    requiresGrant: described(
      z.boolean().optional(),
      'Whether the agent and its descendants may act only under a grant. Default: false.',
      true,
    ),
  })
  .meta({
    title: 'agent',
    description: 'A registered agent: its groups, labels and parent, which rules can look at.',
  });
export type AgentDocument = z.output<typeof agentDocument>;
