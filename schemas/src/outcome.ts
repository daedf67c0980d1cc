/** `action.completed`: the outcome of an allowed action. It settles the charge. */
import { z } from 'zod';
import { OTHER_TOOLS } from './counter-names.ts';
import { CAPS } from './defaults.ts';
import { described } from './described.ts';
import { micros } from './money-shapes.ts';
import { id, tenant, time } from './scalars.ts';
import { tokenUsage } from './token-usage.ts';

/** The calls of tools that the answer of a model asks for. Nothing has decided or run them yet. */
export const toolCalls = z
  .array(
    z.strictObject({
      tool: described(
        id.or(z.literal(OTHER_TOOLS)),
        'The name of the tool, as the model wrote it. Empty: all other tools. They have no valid name, or too many names came before.',
        'get_user',
      ),
      calls: described(
        z.int().min(1).max(CAPS.toolCallsPerAnswer),
        'How often the answer asks for the tool.',
        2,
      ),
    }),
  )
  .max(CAPS.toolsPerAnswer);

export const outcome = z.strictObject({
  actionId: described(id, 'The action that ran.', 'act_7f3a'),
  attempt: described(z.int().min(1).max(CAPS.attempts).optional(), 'The attempt that ran. Default: 1.', 1),
  tenant: described(
    tenant.optional(),
    'The tenant of the agent. Default: the tenant of the API key.',
    'default',
  ),
  agentId: described(id, 'The agent that ran it.', 'airline-007'),
  status: described(
    z.enum(['success', 'failure', 'cancelled']),
    'What became of the call. `cancelled`: it never ran.',
  ),
  actualCostMicros: described(
    micros.optional(),
    'The cost of the call, in micro-dollars. Absent if the cost was not measured.',
    91_000,
  ),
  usage: described(
    tokenUsage.optional(),
    'The tokens that an LLM call used, as its provider counted them. The decision has their prices. If the outcome also states an actual cost, the greater amount counts. Absent if the tokens were not counted.',
  ),
  toolCalls: described(
    toolCalls.optional(),
    'The calls of tools that the answer of a model asks for. Limits on tool calls count them. Empty if the answer asks for none. Absent if they were not counted.',
  ),
  verification: described(
    z.strictObject({ ok: described(z.boolean(), 'Whether the result passed the check.', true) }).optional(),
    'Whether a check of the result passed. Absent if no check ran.',
  ),
  completedAt: described(time.optional(), "When the call ended, by the caller's clock."),
});
export type Outcome = z.infer<typeof outcome>;

/** The reporter of an outcome, identified by the API key of the request. */
export const reporter = z.strictObject({
  keyId: described(id, 'The id of the API key that reported the outcome.', '7dQ1xYb0aKpL'),
  mayRelease: described(
    z.boolean(),
    'The key has the scope `release`: no policy limits what its reports give back.',
    false,
  ),
});
export type Reporter = z.infer<typeof reporter>;

/** An outcome on the log. If `reportedBy` is absent, a producer wrote the outcome to the topic. */
export const reportedOutcome = outcome.extend({
  reportedBy: described(
    reporter.optional(),
    'Set by the gateway for every outcome that comes over HTTP. A caller cannot set it. Absent if a producer wrote the outcome to the topic.',
  ),
});
export type ReportedOutcome = z.infer<typeof reportedOutcome>;

export const actionCompleted = z
  .strictObject({
    event: described(z.literal('action.completed'), 'The kind of the record.'),
    outcome: described(reportedOutcome, 'What became of the action.'),
  })
  .meta({
    title: 'action.completed',
    description: 'What became of an allowed action. It settles the charge.',
  });
export type ActionCompleted = z.infer<typeof actionCompleted>;
