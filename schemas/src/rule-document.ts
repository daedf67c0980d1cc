/** A rule as people write it: when its conditions hold, an agent is held to its policy. An unknown field is an error. */
import { z } from 'zod';
import { condition } from './condition-document.ts';
import { CAPS } from './defaults.ts';
import { patterns } from './pattern.ts';
import { id, idThat, pathId, plainId, time } from './scalars.ts';

export const RULE_MODES = ['enforce', 'observe', 'shadow'] as const;

/** `read-only`: the latest version of it; `read-only@3`: that one for ever. */
const policyName = idThat(
  id,
  /^[^@]+(?:@[1-9]\d{0,8})?$/,
  'must be the id of a policy, or one with a version: read-only@3',
);

export const ruleDocument = z
  .strictObject({
    version: z.literal(1),
    id: pathId.refine((name) => name !== 'reorder', {
      error: 'must not be "reorder": the API puts rules into order by that name',
    }),
    /** Rules stand in this order, the lowest number first; of equal ones by id. It changes no decision. */
    priority: z.int().min(0).max(CAPS.rulePriority).default(0),
    policy: policyName,
    /** `observe`: its policy only watches, unless another that matches is enforced. `shadow`: see the record, never the agent. */
    mode: z.enum(RULE_MODES).default('enforce'),
    /** Which agents, by glob, or by group; both: those of whom both are true. All, where neither stands here. */
    agents: patterns.min(1).optional(),
    groups: z.array(plainId).min(1).max(CAPS.groups).optional(),
    when: condition.optional(),
    /** In force from there on, and until before there. */
    startsAt: time.optional(),
    endsAt: time.optional(),
  })
  .meta({
    title: 'rule',
    description: 'Gives a policy to agents: to whom, when, and whether it is enforced.',
  });
export type RuleDocument = z.output<typeof ruleDocument>;
