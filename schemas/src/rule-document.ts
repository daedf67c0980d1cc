/** A rule as people write it: if its conditions are true, the agent gets the policy. An unknown field is an error. */
import { z } from 'zod';
import { condition } from './condition-document.ts';
import { CAPS } from './defaults.ts';
import { described } from './described.ts';
import { patterns } from './pattern.ts';
import { id, idThat, pathId, plainId, time } from './scalars.ts';

export const RULE_MODES = ['enforce', 'observe', 'shadow'] as const;

/** `read-only` means the latest version of the policy; `read-only@3` always means version 3. */
const policyName = idThat(
  id,
  /^[^@]+(?:@[1-9]\d{0,8})?$/,
  'must be the id of a policy, or one with a version: read-only@3',
);

export const ruleDocument = z
  .strictObject({
    version: described(z.literal(1), 'The version of this format: always 1.'),
    id: described(
      pathId.refine((name) => name !== 'reorder', {
        error: 'must not be "reorder": the API puts rules into order by that name',
      }),
      'The id of the rule.',
      'support-reads',
    ),
    priority: described(
      z.int().min(0).max(CAPS.rulePriority).default(0),
      'A number that orders rules for people, the lowest first. It changes no decision.',
      10,
    ),
    policy: described(
      policyName,
      'The policy that the rule gives: `read-only` for the latest version, `read-only@3` for one version.',
      'read-only',
    ),
    mode: described(
      z.enum(RULE_MODES).default('enforce'),
      '`observe`: not enforced if all matching policies observe. `shadow`: only recorded.',
    ),
    agents: described(patterns.min(1).optional(), 'Patterns of agents. Default: every agent.', ['airline-*']),
    groups: described(
      z.array(plainId).min(1).max(CAPS.groups).optional(),
      'Groups of agents. Default: every agent.',
      ['support'],
    ),
    when: described(
      condition.optional(),
      'A condition on the agent, the action and the context. Default: always true.',
      { field: 'context.environment', op: '==', value: 'prod' },
    ),
    startsAt: described(
      time.optional(),
      'The rule is valid from this time on. Default: valid at once.',
      '2026-01-01T00:00:00Z',
    ),
    endsAt: described(
      time.optional(),
      'The rule is valid until this time, which is not included. Default: no end.',
      '2027-01-01T00:00:00Z',
    ),
  })
  .meta({
    title: 'rule',
    description:
      'A rule gives a policy to agents. It says to which agents, when, and whether the policy is enforced.',
  });
export type RuleDocument = z.output<typeof ruleDocument>;
