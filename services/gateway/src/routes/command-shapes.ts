/** What the routes of operators take and give. */
import { actionReference, count, id, killTarget } from '@mandate/schemas';
import { z } from 'zod';

/** The reason: the record keeps it always, and the agent sees it. */
export const reason = z
  .string()
  .trim()
  .min(1)
  .max(500)
  .describe('Why. The record keeps it always, and the agent sees it.');

export const agentBody = z
  .strictObject({
    reason: reason.optional(),
    family: z
      .boolean()
      .default(false)
      .describe(
        'Whether to stop all descendants of the agent too, also those that are registered later. This is a switch of its own.',
      ),
  })
  .nullish()
  .meta({ examples: [{ reason: 'it sends the same mail again and again', family: true }] });

export const agentParams = z.object({
  id: id.describe('The agent’s id.').meta({ examples: ['airline-007'] }),
});

/** Part of the description of each route that kills. */
export const KILLS_THAT_COUNT =
  'No limit refuses a kill of a target that is not killed yet, if the target is a tenant, everything, or a known agent. ' +
  'An agent is known if it is registered, if a mandates file names it, if an action of it was decided lately, or if it has open actions. ' +
  'A kill of any other agent counts as a change. So an unregistered agent is not known before its first decision. ' +
  'If the target is killed already, a kill with the key and reason of the last kill is the same command and writes no record. ' +
  'Any other kill of that target counts as a change. A kill that counts as a change is refused if the key has no changes left.';

/** The body of a kill that stops a whole tenant, or all tenants. */
export const wideBody = z
  .strictObject({ scope: z.enum(['tenant', 'all']), reason: reason.optional() })
  .meta({ examples: [{ scope: 'tenant', reason: 'until we know what happened' }] });

export const killAnswer = z.object({
  commandId: z.string().describe('The id of the command on the log.'),
  target: killTarget.describe('What was stopped.'),
  revision: count.describe('The revision of the flag.'),
  sequences: z
    .record(z.string(), count)
    .describe('By tenant: no ALLOW carries a higher ledgerSequence until a revive.'),
  openCount: count.describe('How many allowed actions may still run.'),
  open: z.array(actionReference).describe('Every ALLOW that may still run: no outcome yet, lease alive.'),
});

const killFact = z.object({
  scope: z.enum(['agent', 'family', 'tenant', 'all']).describe('What was stopped.'),
  revision: count.describe('The revision of the flag.'),
  reason: z.string().describe('Why it was stopped.'),
  agentId: z.string().optional().describe('For an agent with its descendants: that agent.'),
});

/** How an agent is known before it acts. */
export const agentStatus = z
  .enum(['registered', 'retired', 'named'])
  .nullable()
  .describe(
    '`retired`: nothing is allowed to it until it is registered again. `named`: by the mandates file. Null: neither the register nor, where this gateway reads one, the mandates file has the id.',
  );

/** What stops an agent: its own flag, that of a family that it is in, its tenant's or everybody's; null when nothing does. */
export const killed = killFact.nullable();

export const reviveAnswer = z.object({
  commandId: z.string(),
  target: killTarget,
  changed: z.boolean().describe('false: the flag was clear already, or this very revive was done before.'),
  revision: count,
});
