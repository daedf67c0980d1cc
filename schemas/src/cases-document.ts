/**
 * Cases: what people expect of their policies, in YAML beside them. A case does one thing after the other, at times of
 * its own, and says what should come of each. Amounts in dollars. An unknown field is an error.
 */
import { z } from 'zod';
import { llmCall, toolCall } from './action.ts';
import { agentDocument } from './agent-document.ts';
import { CODES, VERDICTS } from './codes.ts';
import { CAPS } from './defaults.ts';
import { dollars, dollarsDelta } from './money-shapes.ts';
import { outcome } from './outcome.ts';
import { clockTime, count, id } from './scalars.ts';
import { settlement } from './settlement.ts';

const MOST_CASES = 10_000;
const MOST_STEPS = 1_000;
const MOST_TIMES = 10_000;
const ONE_DAY_MS = 24 * 3_600_000;

const path = z.string().min(1);

const budget = z
  .string()
  .min(1)
  .describe('A budget by its id, or `total`; where several have it, scope/id or scope/id/windowMs.');
const amounts = z.record(budget, dollarsDelta);

const asked = z
  .discriminatedUnion('type', [
    toolCall
      .omit({ tenant: true })
      .extend({ id: id.optional(), agentId: id.optional(), type: z.literal('tool_call').optional() }),
    llmCall.omit({ tenant: true }).extend({ id: id.optional(), agentId: id.optional() }),
  ])
  .describe('An action. Left out: an id of its own, the agent of the case, a tool_call.');

const reported = outcome
  .omit({ tenant: true })
  .extend({ actionId: id.optional(), agentId: id.optional(), status: outcome.shape.status.optional() })
  .describe('What became of an action. Left out: the one that was asked last, and success.');

const CODES_EXPECTED = [...CODES, ...settlement.shape.code.options] as const;

const expectation = z.strictObject({
  verdict: z.enum(VERDICTS).optional(),
  code: z.enum(CODES_EXPECTED).optional(),
  observed: z.enum(CODES).optional().describe('What would have been said, were the policies enforced.'),
  shadow: z
    .enum([...CODES, 'UNKNOWN'])
    .optional()
    .describe('What would have been said, were the rules in shadow that matched in force.'),
  policy: z
    .string()
    .min(1)
    .optional()
    .describe('Whose bound it was: `read-only`, or `read-only@1`; of a mandates file, the mandate.'),
  rule: z.string().min(1).optional().describe('One that gives the agent this policy.'),
  charged: dollars.optional().describe('By this decision; of a report: what the action has cost in all.'),
  spent: amounts.optional().describe('After it, by budget.'),
  left: amounts.optional().describe('After it, by budget.'),
  callsLeft: count.optional(),
  retryAfterMs: count.optional(),
});
export type Expectation = z.output<typeof expectation>;

const target = z
  .strictObject({
    scope: z.enum(['agent', 'family', 'tenant', 'all']).default('agent'),
    agentId: id.optional(),
  })
  .describe(
    'An agent, the one of the case where none is named; with its scope also everything below it, or the tenant, or everything.',
  );

const DEEDS = ['ask', 'report', 'approve', 'deny', 'kill', 'revive'] as const;
const BELONGS_TO = { times: ['ask'], expect: ['ask', 'report'], forMs: ['approve'] } as const;

/** A hundred years, in milliseconds. */
const MOST_MS = 36_525 * ONE_DAY_MS;

const step = z
  .strictObject({
    at: z
      .union([count.max(MOST_MS), clockTime])
      .optional()
      .describe('Milliseconds since the case began, or a time. Absent: no time has passed.'),
    ask: asked.optional(),
    times: z.int().min(1).max(MOST_TIMES).optional().describe('Asks so often, each time under another id.'),
    report: reported.optional(),
    approve: id
      .optional()
      .describe('The id of an action that was asked: a person grants it. Ask it again then.'),
    deny: id.optional(),
    forMs: z.int().min(1).max(ONE_DAY_MS).optional().describe('How long the grant holds.'),
    kill: target.optional(),
    revive: target.optional(),
    expect: z
      .union([z.enum([...VERDICTS, ...CODES_EXPECTED]), expectation])
      .optional()
      .describe('A verdict or a code says it in a word.'),
  })
  .superRefine((value, context) => {
    const done: readonly string[] = DEEDS.filter((deed) => value[deed] !== undefined);
    const say = (message: string, at: string[] = []) =>
      context.addIssue({ code: 'custom', path: at, message });
    if (done.length !== 1) say(`must hold one of ${DEEDS.join(', ')}, and no other of them`);
    for (const field of ['times', 'expect', 'forMs'] as const) {
      const deeds: readonly string[] = BELONGS_TO[field];
      if (value[field] !== undefined && !done.some((deed) => deeds.includes(deed)))
        say(`belongs to ${deeds.join(' or ')}`, [field]);
    }
  });
export type StepDocument = z.output<typeof step>;

const stated = z.strictObject({
  budget,
  amount: dollarsDelta,
  agentId: id.optional(),
  principal: id.optional(),
});
export type StatedSpend = z.output<typeof stated>;

const oneCase = z.strictObject({
  name: z.string().min(1).max(CAPS.idUnits),
  now: clockTime.optional().describe('When it begins; else as the file says.'),
  agent: id.optional().describe('Who acts where a step does not say it.'),
  spent: z.array(stated).default([]).describe('What budgets had spent before.'),
  steps: z.array(step).min(1).max(MOST_STEPS),
});
export type CaseDocument = z.output<typeof oneCase>;

export const casesDocument = z
  .strictObject({
    version: z.literal(1),
    files: z
      .array(path)
      .min(1)
      .optional()
      .describe(
        'Agents, policies and rules: files, or folders of them, as seen from this file. Absent: its own folder, unless there are `mandates`.',
      ),
    mandates: path.optional().describe('A mandates file, for agents that are not registered.'),
    privacy: path
      .optional()
      .describe(
        'The privacy document of the plane, which hides values before they are decided on, as seen from this file. Absent: the one that MANDATE_PRIVACY_PATH names, or none.',
      ),
    agents: z.array(agentDocument).default([]).describe('Registered beside those of the files.'),
    now: clockTime.default('2026-01-01T00:00:00Z').describe('When cases begin.'),
    cases: z.array(oneCase).min(1).max(MOST_CASES),
  })
  .meta({ title: 'cases', description: 'What is expected of policies: `mandate test` runs it.' });
export type CasesDocument = z.output<typeof casesDocument>;
