/** Schemas of the routes for operators. */
import { count, described, id, killTarget, openAction } from '@mandate/schemas';
import { z } from 'zod';

/** The query parameters of the commands that change the ledger. */
export const dryRunQuery = z.strictObject({
  dryRun: described(
    z
      .enum(['true', 'false'])
      .default('false')
      .transform((text) => text === 'true'),
    'Whether only to say what would change. Nothing is changed or recorded, and an Idempotency-Key has no effect.',
    'true',
  ),
});

export const isDryRun = described(z.literal(true), 'This answers a dry run: nothing was changed.', true);

/** The reason of a command. The log keeps the reason permanently, and the agent sees it. */
export const reason = z.string().trim().min(1).max(500);

export const agentBody = z
  .strictObject({
    reason: described(
      reason.optional(),
      'Why the switch is pulled or released. The record always keeps it, and the agent sees it.',
      'runaway loop',
    ),
    subtree: described(
      z.boolean().default(false),
      'Whether to stop all descendants of the agent too, also those that are registered later. This is a separate switch.',
      true,
    ),
  })
  .nullish()
  .meta({ examples: [{ reason: 'it sends the same mail again and again', subtree: true }] });

export const agentParams = z.object({
  id: described(id, 'The id of the agent.', 'airline-007'),
});

/** A part of the description of each route that kills. */
export const KILLS_THAT_COUNT =
  'No limit refuses a kill of a target that is not killed yet, if the target is a tenant, everything, or a known agent. ' +
  'An agent is known if it is registered, if a mandates file names it, if an action of it was decided lately, or if it has open actions. ' +
  'A kill of any other agent counts as a change. So an unregistered agent is not known before its first decision. ' +
  'If the target is killed already, a kill with the key and reason of the last kill is the same command and writes no record. ' +
  'Any other kill of that target counts as a change. A kill that counts as a change is refused if the key has no changes left. A dry run counts as a change too.';

/** One request kills at most this many agents. */
const MOST_IN_SET = 100;

/** The body of a command that kills a whole tenant, or all tenants. */
export const wideBody = z
  .strictObject({
    scope: described(z.enum(['tenant', 'all']), 'What to stop: your whole tenant, or everything.'),
    reason: described(
      reason.optional(),
      'Why the switch is pulled or released. The record always keeps it, and the agent sees it.',
      'until we know what happened',
    ),
  })
  .meta({ examples: [{ scope: 'tenant', reason: 'until we know what happened' }] });

export const killAnswer = z.object({
  commandId: described(z.string(), 'The id of the command on the log.', 'kill_1'),
  target: described(killTarget, 'What was stopped.'),
  revision: described(count, 'The revision of the switch. Each kill and each revive raises it.', 4),
  sequences: described(
    z.record(z.string(), count),
    'The ledger sequence of each tenant at the time of the kill. No ALLOW has a higher one until a revive.',
    { default: 420 },
  ),
  openCount: described(count, 'How many allowed actions may still run.', 1),
  open: described(
    z.array(openAction),
    'The allowed actions that may still run: they have no outcome, and their lease has not ended.',
  ),
});

export const wouldKill = z.object({
  dryRun: isDryRun,
  target: described(killTarget, 'What would be stopped.'),
  isKilled: described(z.boolean(), 'Whether this kill is in force already.', false),
  revision: described(count, 'The revision of the switch now.', 3),
  openCount: described(count, 'How many allowed actions could still run.', 1),
  open: described(
    z.array(openAction),
    'The allowed actions that could still run, at most 1,000: they have no outcome, and their lease has not ended.',
  ),
});

export type KillAnswer = z.output<typeof killAnswer>;

/** The body of a command that kills a set of agents, a whole tenant, or all tenants. */
export const killBody = z
  .discriminatedUnion('scope', [
    z.strictObject({
      scope: described(z.literal('agents'), 'Kills the agents that `agents` names.'),
      agents: described(
        z.array(id).min(1).max(MOST_IN_SET),
        'The ids of the agents. An id that is named twice counts once.',
        ['airline-007', 'airline-008'],
      ),
      subtree: described(
        z.boolean().default(false),
        'Whether to kill all descendants of the agents too, also those that are registered later.',
        false,
      ),
      reason: wideBody.shape.reason,
    }),
    wideBody,
  ])
  .meta({
    examples: [
      { scope: 'tenant', reason: 'until we know what happened' },
      { scope: 'agents', agents: ['airline-007', 'airline-008'], reason: 'runaway loop' },
    ],
  });

export const killSetAnswer = z.object({
  commandId: described(z.string(), 'The id of the command.', 'kil_1'),
  agents: described(
    z.array(
      z.object({
        agentId: described(id, 'The id of the agent.', 'airline-007'),
        isKilled: described(
          z.boolean(),
          'Whether the agent is killed. false: the plane cannot say that it is.',
          true,
        ),
        commandId: described(
          z.string(),
          'The id of the record of this agent on the log: the id of the command and a number. If the agent was already killed by the same key for the same reason, the id of that kill.',
          'kil_1-1',
        ),
        revision: described(count.nullable(), 'The revision of the switch. null: not killed.', 4),
        sequence: described(
          count.nullable(),
          'The ledger sequence of the kill. No ALLOW of the agent has a higher one until a revive. null: not killed.',
          420,
        ),
        openCount: described(
          count.nullable(),
          'How many allowed actions may still run. null: not killed, so more actions may be allowed.',
          1,
        ),
        open: described(
          z.array(openAction),
          'The allowed actions that may still run: they have no outcome, and their lease has not ended.',
        ),
        problem: described(
          z
            .object({
              code: described(z.string(), 'The code of the problem.', 'TOO_MANY_CHANGES'),
              detail: described(z.string(), 'What is wrong.', 'this key makes too many changes'),
              remedy: described(z.string(), 'What to do.', 'Wait 2 s.'),
            })
            .nullable(),
          'Why the agent is not killed, or why its kill is not on the log yet. null: all is well.',
        ),
      }),
    ),
    'What happened to each agent, in the order of their ids.',
  ),
  killedCount: described(count, 'How many of the agents are killed.', 2),
  openCount: described(count, 'How many allowed actions of the killed agents may still run.', 1),
});

export type KillSetAnswer = z.output<typeof killSetAnswer>;

export const wouldKillSet = z.object({
  dryRun: isDryRun,
  agents: described(
    z.array(
      z.object({
        agentId: described(id, 'The id of the agent.', 'airline-007'),
        ...wouldKill.omit({ dryRun: true, target: true }).shape,
      }),
    ),
    'What would happen to each agent, in the order of their ids. All lists together have at most 1,000 actions.',
  ),
  openCount: described(count, 'How many allowed actions of these agents could still run.', 1),
});

const killFact = z.object({
  scope: described(z.enum(['agent', 'subtree', 'tenant', 'all']), 'What was stopped.'),
  revision: described(count, 'The revision of the switch. Each kill and each revive raises it.', 4),
  reason: described(z.string(), 'Why it was stopped.', 'runaway loop'),
  agentId: described(
    z.string().optional(),
    'The agent whose descendants are stopped too. Absent for the other scopes.',
    'airline-lead',
  ),
});

export const agentStatus = described(
  z.enum(['registered', 'retired', 'named']).nullable(),
  'How the agent is known before it acts. `registered`: it is in the register. `retired`: nothing is allowed to it until it is registered again. `named`: the mandate file names it. null: neither knows it.',
  'registered',
);

export const killed = described(killFact.nullable(), 'The kill switch that stops the agent. null: none.');

export const wouldRevive = z.object({
  dryRun: isDryRun,
  target: described(killTarget, 'What would be released.'),
  changed: described(z.boolean(), 'Whether anything would change. false: the switch is clear.', true),
  revision: described(count, 'The revision of the switch now.', 4),
  killed: described(killFact.nullable(), 'The kill that would still stop the target. null: none.'),
});

export const reviveAnswer = z.object({
  commandId: described(z.string(), 'The id of the command on the log.', 'revive_1'),
  target: described(killTarget, 'What was released.'),
  changed: described(
    z.boolean(),
    'Whether anything changed. false: the switch was clear already, or this command was done before.',
    true,
  ),
  revision: described(count, 'The revision of the switch. Each kill and each revive raises it.', 5),
});

export type ReviveAnswer = z.output<typeof reviveAnswer>;
