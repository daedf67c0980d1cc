/**
 * Cases: the decisions that people expect from their policies, in YAML files beside the policies. A case has steps at
 * different times, and each step states its expected result. Amounts are in dollars. An unknown field is an error.
 */
import { z } from 'zod';
import { llmCall, principal, toolCall } from './action.ts';
import { agentDocument } from './agent-document.ts';
import { CODES, VERDICTS } from './codes.ts';
import { CAPS } from './defaults.ts';
import { described } from './described.ts';
import { GOVERNANCE_EVENTS } from './governance-events.ts';
import { memoryOperation, memoryRead, memoryWrite } from './memory-actions.ts';
import { dollars, dollarsDelta } from './money-shapes.ts';
import { outcome } from './outcome.ts';
import { clockTime, count, id } from './scalars.ts';
import { settlement } from './settlement.ts';
import { output, prompt } from './text-actions.ts';

const MOST_CASES = 10_000;
const MOST_STEPS = 1_000;
const MOST_TIMES = 10_000;
const ONE_DAY_MS = 24 * 3_600_000;

const path = z.string().min(1);

const budget = z.string().min(1);
const amounts = z.record(budget, dollarsDelta);

/** An action of a case. The case adds its tenant, and the fields that are left out. */
const asked = z
  .discriminatedUnion('type', [
    inCase(toolCall).extend({
      type: described(z.literal('tool_call').optional(), 'A call of a tool. Default: `tool_call`.'),
    }),
    inCase(llmCall),
    inCase(prompt),
    inCase(memoryRead),
    inCase(memoryWrite),
    inCase(output),
    inCase(memoryOperation),
  ])
  .describe(
    'An action. Fields that are left out have defaults: a new id, the agent of the case, and the type `tool_call`.',
  );

function inCase<Shape extends z.ZodRawShape>({ shape }: z.ZodObject<Shape>) {
  const { tenant: _tenant, ...fields } = shape;
  return z.strictObject({
    ...(fields as Omit<Shape, 'tenant'>),
    id: described(id.optional(), 'The id of the action. By default, the case makes an id.', 'refund-1'),
    agentId: described(id.optional(), 'The agent that acts. Default: the agent of the case.', 'airline-007'),
  });
}

const reported = outcome
  .omit({ tenant: true })
  .extend({
    actionId: described(
      id.optional(),
      'The action of the outcome. Default: the action that was requested last.',
      'refund-1',
    ),
    agentId: described(id.optional(), 'The agent that acted. Default: the agent of the case.', 'airline-007'),
    status: described(outcome.shape.status.optional(), 'The result of the call. Default: success.'),
  })
  .describe(
    'An outcome. Fields that are left out have defaults: the action that was asked for last, and success.',
  );

const CODES_EXPECTED = [...CODES, ...settlement.shape.code.options] as const;

const parts = z.record(z.string(), z.json());

const expectation = z.strictObject({
  verdict: described(z.enum(VERDICTS).optional(), 'The verdict that is expected.'),
  code: described(z.enum(CODES_EXPECTED).optional(), 'The code that is expected.'),
  observed: described(z.enum(CODES).optional(), 'The code that enforcement would have given.'),
  shadow: described(
    z.enum([...CODES, 'UNKNOWN']).optional(),
    'The code that the matching rules in shadow would have given. UNKNOWN: a counter that only they use is missing.',
  ),
  policy: described(
    z.string().min(1).optional(),
    'The policy that set the limit: `read-only` in any version, or `read-only@1`. For a mandate file: the mandate.',
    'read-only@1',
  ),
  rule: described(z.string().min(1).optional(), 'A rule that gives the agent this policy.', 'support-reads'),
  charged: described(
    dollars.optional(),
    'What this decision charges, in dollars. After a report: what the action costs in all, in dollars.',
    0.25,
  ),
  spent: described(amounts.optional(), 'What each budget has spent after the step, in dollars.', {
    total: 1.5,
  }),
  left: described(amounts.optional(), 'What each budget has left after the step, in dollars.', {
    total: 8.5,
  }),
  callsLeft: described(count.optional(), 'How many calls the tightest rate still allows after the step.', 4),
  retryAfterMs: described(count.optional(), 'After how many milliseconds a retry can pass.', 60_000),
  obligations: described(
    z.record(z.string(), z.json()).optional(),
    'What the ALLOW obliges to, by name. Only the stated fields of an object are compared, and lists as a whole. null: absent.',
    { intent: { id: 'create_flashcards' }, tools: ['create_study_flashcards'] },
  ),
  notes: described(
    z.array(parts).optional(),
    'All notes of the decision, in any order. Only the stated fields of each are compared.',
    [{ code: 'RESULTS_CLAMPED', store: 'episodic' }],
  ),
  violations: described(
    z.array(parts).optional(),
    'All that a model chose and must not choose, in any order. Only the stated fields of each are compared.',
    [{ rule: 'select_store', field: 'stores' }],
  ),
  events: described(
    z.array(z.enum(GOVERNANCE_EVENTS)).optional(),
    'All events that are marked on the decision, in any order.',
    ['tool_invocation'],
  ),
});
export type Expectation = z.output<typeof expectation>;

const target = z
  .strictObject({
    scope: described(
      z.enum(['agent', 'subtree', 'tenant', 'all']).default('agent'),
      'The agents that the kill switch stops.',
    ),
    agentId: described(id.optional(), 'The agent. Default: the agent of the case.', 'airline-007'),
  })
  .describe(
    'The target of the kill switch: by default the agent of the case. With another `scope`: the agent and its descendants, the tenant, or everything.',
  );

const DEEDS = ['ask', 'report', 'approve', 'deny', 'kill', 'revive'] as const;
const BELONGS_TO = { times: ['ask'], expect: ['ask', 'report'], forMs: ['approve'] } as const;

/** The longest time in a case: a hundred years, in milliseconds. */
const MOST_MS = 36_525 * ONE_DAY_MS;

const step = z
  .strictObject({
    at: described(
      z.union([count.max(MOST_MS), clockTime]).optional(),
      'Milliseconds since the case began, or a time. If absent, no time has passed since the previous step.',
      60_000,
    ),
    ask: described(asked.optional(), 'An action that an agent asks for.'),
    times: described(
      z.int().min(1).max(MOST_TIMES).optional(),
      'How many times the action is requested, each time under another id. Default: 1.',
      5,
    ),
    report: described(reported.optional(), 'An outcome that is reported.'),
    approve: described(
      id.optional(),
      'The id of an action that a person approves. Ask for the action again after it.',
      'refund-1',
    ),
    deny: described(id.optional(), 'The id of an action that a person denies.', 'refund-1'),
    forMs: described(
      z.int().min(1).max(ONE_DAY_MS).optional(),
      'How long the approval is valid, in milliseconds.',
      300_000,
    ),
    kill: described(target.optional(), 'A kill switch that is pulled.'),
    revive: described(target.optional(), 'A kill switch that is released.'),
    expect: described(
      z.union([z.enum([...VERDICTS, ...CODES_EXPECTED]), expectation]).optional(),
      'The expected result of the step: a verdict, a code, or several values together.',
      'ALLOW',
    ),
  })
  .superRefine((value, context) => {
    const done: readonly string[] = DEEDS.filter((deed) => value[deed] !== undefined);
    const say = (message: string, at: string[] = []) =>
      context.addIssue({ code: 'custom', path: at, message });
    if (done.length !== 1) say(`must have exactly one of ${DEEDS.join(', ')}`);
    for (const field of ['times', 'expect', 'forMs'] as const) {
      const deeds: readonly string[] = BELONGS_TO[field];
      if (value[field] !== undefined && !done.some((deed) => deeds.includes(deed)))
        say(`belongs to ${deeds.join(' or ')}`, [field]);
    }
  });
export type StepDocument = z.output<typeof step>;

const stated = z.strictObject({
  budget: described(
    budget,
    'The budget: its id, or `total`. If several budgets have the same id: scope/id or scope/id/windowMs.',
    'total',
  ),
  amount: described(dollarsDelta, 'How much the budget had spent, in dollars.', 2.5),
  agentId: described(
    id.optional(),
    'The agent of the budget. Default: the agent of the case.',
    'airline-007',
  ),
  principal: described(
    id.optional(),
    'The principal of the budget. Absent if the budget has no principal.',
    'u1',
  ),
});
export type StatedSpend = z.output<typeof stated>;

const oneCase = z.strictObject({
  name: described(
    z.string().min(1).max(CAPS.idUnits),
    'What the case shows, as a sentence for people.',
    'a refund above $100 waits for a person',
  ),
  now: described(
    clockTime.optional(),
    'The time at which the case begins. Default: the time of the file.',
    '2026-01-05T09:30:00Z',
  ),
  agent: described(id.optional(), 'The agent that acts if a step names none.', 'airline-007'),
  principal: described(principal.optional(), 'The person for whom the agent acts if an action names none.', {
    id: 'u1',
    role: 'premium',
  }),
  spent: described(z.array(stated).default([]), 'What budgets had spent before the first step.'),
  steps: described(z.array(step).min(1).max(MOST_STEPS), 'The steps of the case, in order.'),
});
export type CaseDocument = z.output<typeof oneCase>;

export const casesDocument = z
  .strictObject({
    version: described(z.literal(1), 'The version of this format: always 1.'),
    files: described(
      z.array(path).min(1).optional(),
      'Files or folders with agents, policies and rules, relative to this file. Default: the folder of this file, unless `mandates` is given.',
      ['policies'],
    ),
    environment: described(
      z.string().min(1).optional(),
      'The environment of the manifests among the files. Default: the option --env of the command, or none.',
      'production',
    ),
    mandates: described(
      path.optional(),
      'A mandate file, relative to this file, for agents that are not registered.',
      'mandates.yaml',
    ),
    privacy: described(
      path.optional(),
      'The privacy document of the plane, relative to this file. It redacts values before they are decided on. Default: the document that MANDATE_PRIVACY_PATH names, or none.',
      'privacy.yaml',
    ),
    agents: described(
      z.array(agentDocument).default([]),
      'Registered agents in addition to those of the files.',
    ),
    now: described(clockTime.default('2026-01-01T00:00:00Z'), 'When cases begin.', '2026-01-01T00:00:00Z'),
    cases: described(z.array(oneCase).min(1).max(MOST_CASES), 'The cases.'),
  })
  .meta({ title: 'cases', description: 'Test cases for policies. `mandate test` runs them.' });
export type CasesDocument = z.output<typeof casesDocument>;
