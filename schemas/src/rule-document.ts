/** A rule as people write it: when its conditions hold, an agent is held to its policy. An unknown field is an error. */
import { z } from 'zod';
import { condition } from './condition-document.ts';
import { CAPS } from './defaults.ts';
import { patterns } from './pattern.ts';
import { id, idThat, pathId, plainId, time } from './scalars.ts';

export const RULE_MODES = ['enforce', 'observe', 'shadow'] as const;

/** `read-only`: the latest version of it; `read-only@3`: always that version. */
const policyName = idThat(
  id,
  /^[^@]+(?:@[1-9]\d{0,8})?$/,
  'must be the id of a policy, or one with a version: read-only@3',
);

export const ruleDocument = z
  .strictObject({
    version: z.literal(1).describe('The version of this format: always 1.'),
    id: pathId.refine((name) => name !== 'reorder', {
      error: 'must not be "reorder": the API puts rules into order by that name',
    }),
    priority: z
      .int()
      .min(0)
      .max(CAPS.rulePriority)
      .default(0)
      .describe('An order for people, the lowest first. It changes no decision.'),
    policy: policyName.describe(
      'The policy that the rule gives: `read-only` for the latest version, `read-only@3` for one version.',
    ),
    mode: z
      .enum(RULE_MODES)
      .default('enforce')
      .describe('`observe`: not enforced if all matching policies observe. `shadow`: only recorded.'),
    agents: patterns.min(1).optional().describe('Patterns of agents. Absent: every agent.'),
    groups: z
      .array(plainId)
      .min(1)
      .max(CAPS.groups)
      .optional()
      .describe('Groups of agents. Absent: every agent.'),
    when: condition.optional().describe('A condition on the agent, the action and the context.'),
    startsAt: time.optional().describe('The rule holds from this time on.'),
    endsAt: time.optional().describe('The rule holds until before this time.'),
  })
  .meta({
    title: 'rule',
    description: 'Gives a policy to agents: to whom, when, and whether it is enforced.',
  });
export type RuleDocument = z.output<typeof ruleDocument>;
