/**
 * Tests that findings of lint are true for every action: a rule that lint calls useless can be removed, and an action
 * that lint calls blocked is blocked.
 */

import { mandatesUnderControl } from '@mandate/control';
import { lintControl } from '@mandate/control/lint';
import { type ActionDecided, actionRequested, type Plan } from '@mandate/schemas';
import { hits, runs } from '@mandate/testing';
import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { asking, deciderInABox, decisionOf, reporting, START_MS } from '../decider-in-a-box.ts';
import { arbitraryAsk, arbitraryMandate, arbitraryReport } from './arbitrary-requests.ts';
import { AGENTS, calls, MOMENTS, plansOf, rule } from './arbitrary-rules.ts';
import { foldOf, type Register } from './registered.ts';

// The timeout is long: each test runs many random cases, which takes a second or two, and more on a busy machine.
vi.setConfig({ testTimeout: 60_000 });

function findings(given: Omit<Register, 'agents'>) {
  const { fold } = foldOf({ agents: AGENTS, ...given });
  return lintControl(fold.tenant('default'), START_MS).findings;
}

const value = fc.constantFrom('x', 'xy', 'send', 'llm_call', 1, 2, null, true);
const field = fc.constantFrom('action.tool', 'action.type', 'action.model', 'agent.labels.team', 'context.c');
const one = fc.oneof(
  fc.record({ field, op: fc.constantFrom('==', 'contains'), value }),
  fc.record({ field, op: fc.constant('!='), value: value.filter((one) => one !== null) }),
  fc.record({
    field,
    op: fc.constantFrom('in', 'not_in'),
    value: fc.array(value, { minLength: 1, maxLength: 3 }),
  }),
  fc.record({ field, op: fc.constantFrom('>', '>=', '<', '<='), value: fc.constantFrom(1, 2) }),
  fc.record({
    field,
    op: fc.constantFrom('matches', 'starts_with'),
    value: fc.constantFrom('x', 'xy', 'y', 'send'),
  }),
  fc.record({ field, op: fc.constant('exists'), value: fc.boolean() }),
);
const some = fc.array(one, { minLength: 1, maxLength: 3 });
const when = fc.oneof(
  one,
  fc.record({ all: some }),
  fc.record({ all: fc.tuple(one, fc.record({ any: some })) }),
  fc.record({ all: fc.tuple(fc.record({ any: some }), fc.record({ any: some }), one) }),
  fc.record({ not: some }),
);

const POLICIES = ['p', 'q'].map((id) => ({ id }));

test('if lint says that a rule contradicts itself, the rule never applies to an action', () => {
  let told = 0;
  fc.assert(
    fc.property(when, fc.array(calls, { minLength: 20, maxLength: 20 }), (when, actions) => {
      const rules = [{ id: 'r', policy: 'p', when }];
      const codes = findings({ policies: POLICIES, rules }).map(({ code }) => code);
      if (!codes.includes('RULE_CONTRADICTS_ITSELF')) return;
      told += 1;
      const planOf = plansOf(POLICIES, rules);
      for (const action of actions) expect(planOf(action, START_MS).mandate).toBeNull();
    }),
    { numRuns: runs(200) },
  );
  expect(told).toBeGreaterThan(hits(10));
});

test('a rule that adds nothing can be removed, even together with all other such rules', () => {
  let told = 0;
  const rules = fc.uniqueArray(rule, { minLength: 2, maxLength: 3, selector: ({ id }) => id });
  fc.assert(
    fc.property(rules, fc.array(calls, { minLength: 10, maxLength: 10 }), (rules, actions) => {
      const idle = findings({ policies: POLICIES, rules }).flatMap((one) =>
        one.code === 'RULE_ADDS_NOTHING' ? (one.rules[0] ?? []) : [],
      );
      if (idle.length === 0) return;
      told += 1;
      const [before, after] = [
        plansOf(POLICIES, rules),
        plansOf(
          POLICIES,
          rules.filter(({ id }) => !idle.includes(id)),
        ),
      ];
      for (const action of actions)
        for (const atMs of MOMENTS) expect(gist(after(action, atMs))).toEqual(gist(before(action, atMs)));
    }),
    { numRuns: runs(300) },
  );
  expect(told).toBeGreaterThan(hits(10));
});

/** Returns a plan without its shadow result, its validity, and the rules that gave its policies. */
function gist({ mandate, shadow: _, holdsFromMs: _from, holdsUntilMs: _until, ...plan }: Plan): unknown {
  const { rules: _rules, grantedBy: _given, ...others } = mandate ?? {};
  const text = JSON.stringify({ ...plan, mandate: others });
  return JSON.parse(text.replaceAll(/, which the rule \\"[^"]*" (?:gives|and \d+ more give)/g, ''));
}

/** Policies without `expiresAt`, because an expired policy refuses everything, whatever its limits are. */
const limited = arbitraryMandate.map(({ expiresAt: _, ...fields }) => fields);

type Limited = typeof limited extends fc.Arbitrary<infer Fields> ? Fields : never;

const LIMIT =
  /^In "p", (?:(?<field>maxCostTotal|maxCostPerCall|maxTokensTotal|maxToolCallsTotal|rateLimit)|the (?<scope>\w+) (?<what>budget|limit) "(?<id>\w+)"(?: of (?<windows>tokensPerWindow|toolCallsPerWindow))?|toolPolicies\.(?<tool>.+)\.(?<ofTool>maxCostPerCall|rateLimit)) of .* has no effect: /;

/**
 * Returns the policy without the limit that a finding names. Scope and id are enough to find a budget, because no two
 * budgets of the test differ only in the window.
 */
function without(policy: Limited, message: string): Limited {
  const { field, scope, what, windows, id, tool, ofTool } = LIMIT.exec(message)?.groups ?? {};
  if (tool !== undefined) {
    const { [ofTool as 'rateLimit']: _, ...others } = policy.toolPolicies?.[tool] ?? {};
    return { ...policy, toolPolicies: { ...policy.toolPolicies, [tool]: others } };
  }
  if (what === 'limit')
    return {
      ...policy,
      [windows as 'tokensPerWindow']:
        policy[windows as 'tokensPerWindow']?.filter((one) => one.id !== id || one.scope !== scope) ?? [],
    };
  if (id !== undefined)
    return {
      ...policy,
      budgets: policy.budgets?.filter((one) => one.id !== id || one.scope !== scope) ?? [],
    };
  const { [field as 'rateLimit']: _, ...others } = policy;
  expect(field, message).toBeDefined();
  return others;
}

const inContext = (environment: string) => ({ field: 'context.environment', op: '==', value: environment });
const asked = fc.constantFrom(
  ...[undefined, undefined, inContext('prod'), inContext('dev')],
  { field: 'action.tool', op: '!=', value: 'send' },
  { not: [{ field: 'action.tool', op: '==', value: 'send' }] },
);
const mode = fc.constantFrom('enforce', 'enforce', 'observe');
/**
 * Three rules. The first is for one agent, and the second is for all agents. The third applies a policy in observe
 * mode, which allows what the other two do not refuse.
 */
const rulesDrawn = fc.tuple(asked, asked, mode, mode).map(([ofP, ofQ, modeOfP, modeOfQ]) => [
  { id: 'r', policy: 'p', agents: ['agent-1'], mode: modeOfP, ...(ofP && { when: ofP }) },
  { id: 's', policy: 'q', mode: modeOfQ, ...(ofQ && { when: ofQ }) },
  { id: 't', policy: 'z', mode: 'observe' },
]);

/** The documents of a test. `earlier` are the policy versions that were in force before `policies` were published. */
type Documents = { earlier: readonly object[]; policies: readonly object[]; rules: readonly object[] };

/** Returns the decisions about all records. The earlier versions are in force for the first half. */
async function decided({ earlier, policies, rules }: Documents, records: readonly object[]) {
  const box = deciderInABox([{}]);
  const hold = (published: readonly object[]) => {
    const { fold, revision } = foldOf({ agents: AGENTS, policies: [...published, { id: 'z' }], rules });
    box.context = { ...box.context, control: () => mandatesUnderControl(fold, () => revision) };
  };
  hold(earlier);
  const decisions: ActionDecided['decision'][] = [];
  for (const [at, record] of records.entries()) {
    if (at === records.length >> 1) hold([...earlier, ...policies]);
    box.clock.advance(200);
    const [answer] = await box.answer([box.append(record)]);
    if ('action' in record) decisions.push(decisionOf(answer));
  }
  return decisions;
}

/** Returns the verdict of the decision. If the decision was not enforced, returns the observed verdict. */
function judged({ verdict, observed }: ActionDecided['decision']): string {
  return observed?.verdict ?? verdict;
}

const histories = fc
  .array(fc.oneof({ weight: 3, arbitrary: arbitraryAsk }, { weight: 1, arbitrary: arbitraryReport }), {
    minLength: 5,
    maxLength: 25,
    size: 'max',
  })
  .map((drawn) =>
    drawn.map((record, at) => {
      if (!('action' in record)) return reporting(record);
      // These fields are removed. Otherwise an action could have a second attempt, and its decision depends on the
      // code of the first. If several limits refuse the first attempt, the code may be that of any of them.
      const { mandateId: _, idempotencyKey: __, attempt: ___, ...action } = record.action;
      const context = { environment: at % 3 === 0 ? 'dev' : 'prod' };
      return { ...record, action: { ...action, context, id: `${action.id}${at % 7}`, tenant: 'default' } };
    }),
  );

const few = fc.constantFrom(0.1, 0.3, 1);
const slow = fc.constantFrom(3_000, 60_000);
const calling: fc.Arbitrary<object> = fc
  .record({ agentId: fc.constantFrom('agent-1', 'agent-1', 'agent-2'), tool: fc.constantFrom('send', 'x') })
  .map((action) => ({ ...action, id: '-', tenant: 'default' }));
const called: typeof histories = fc
  .array(calling, { minLength: 6, maxLength: 14, size: 'max' })
  .map((drawn) => drawn.map((action, at) => actionRequested.parse(asking({ ...action, id: `call-${at}` }))));
const enforced = fc.constant([{ id: 'r', policy: 'p', mode: 'enforce' }]);
const rate = fc.record({ maxCalls: fc.integer({ min: 1, max: 4 }), windowMs: slow });
/** Policies with limits only. A few calls are enough to reach these limits. */
const reached: fc.Arbitrary<Limited> = fc.record(
  {
    maxCostTotal: few,
    budgets: fc.array(
      fc.record(
        {
          id: fc.constantFrom('a', 'b'),
          scope: fc.constantFrom('agent', 'agent', 'principal', 'mandate', 'tenant'),
          max: few,
          windowMs: slow,
        },
        { requiredKeys: ['id', 'scope', 'max'] },
      ),
      { minLength: 1, maxLength: 3 },
    ),
    rateLimit: rate,
    toolPolicies: fc.record({ send: fc.record({ cost: fc.constant(0.1), rateLimit: rate }) }),
  },
  { requiredKeys: ['budgets', 'toolPolicies'] },
);

/**
 * Returns a policy and an earlier version. The earlier version is another policy, or the same policy with fewer
 * limits.
 */
function versionsOf(policy: fc.Arbitrary<Limited>): fc.Arbitrary<Versions> {
  return fc
    .tuple(policy, fc.option(policy), fc.subarray([0, 1, 2]))
    .map(([{ budgets = [], ...others }, another, kept]) => {
      const byName = new Map(budgets.map((one) => [`${one.scope} ${one.id}`, one]));
      const own = { ...others, budgets: [...byName.values()] };
      const { rateLimit: _, maxCostTotal: __, ...fewer } = own;
      const had = { ...fewer, budgets: own.budgets.filter((_, at) => kept.includes(at)) };
      return { before: another ?? had, own };
    });
}
type Versions = { before: Limited; own: Limited };

const nothing = fc.constant({ before: {}, own: {} });
const twoPolicies = fc.tuple(versionsOf(limited), versionsOf(limited));

/** Returns the two policies with the ids that the test's rules name. */
function pAndQ(ofP: Limited, ofQ: Limited) {
  return [
    { ...ofP, id: 'p' },
    { ...ofQ, id: 'q' },
  ];
}

test.each<[string, fc.Arbitrary<[Versions, Versions]>, fc.Arbitrary<readonly object[]>, typeof histories]>([
  ['of one policy', fc.tuple(versionsOf(limited), nothing), rulesDrawn, histories],
  ['of two policies', twoPolicies, rulesDrawn, histories],
  ['of one policy with low limits', fc.tuple(versionsOf(reached), nothing), enforced, called],
])('a limit that lint calls useless can be removed: %s', async (_, drawn, rulesDrawn, histories) => {
  let told = 0;
  await fc.assert(
    fc.asyncProperty(drawn, rulesDrawn, histories, async ([p, q], rules, records) => {
      const earlier = pAndQ(p.before, q.before);
      const given = (own: Limited) => ({ earlier, policies: pAndQ(own, q.own), rules });
      const idle = findings({ policies: [...earlier, ...pAndQ(p.own, q.own)], rules }).filter(
        ({ code, message }) => code === 'LIMIT_WITHOUT_EFFECT' && message.startsWith('In "p"'),
      );
      if (idle.length === 0) return;
      told += 1;
      const whole = (await decided(given(p.own), records)).map(judged);
      for (const { message } of idle) {
        const after = (await decided(given(without(p.own, message)), records)).map(judged);
        expect(after, message).toEqual(whole);
      }
    }),
    { numRuns: runs(50) },
  );
  expect(told).toBeGreaterThan(hits(10));
});

test('if lint says that a tool is too expensive for every budget, no agent under the named policies may ever use the tool', async () => {
  let told = 0;
  await fc.assert(
    fc.asyncProperty(twoPolicies, rulesDrawn, histories, async ([p, q], rules, records) => {
      const [earlier, policies] = [pAndQ(p.before, q.before), pAndQ(p.own, q.own)];
      const dear = findings({ policies: [...earlier, ...policies], rules }).filter(
        ({ code }) => code === 'TOOL_NEVER_AFFORDED',
      );
      if (dear.length === 0) return;
      const decisions = await decided({ earlier, policies, rules }, records);
      for (const { message, policies: named } of dear) {
        const [, tool] = /no call of "(.+?)" through/.exec(message) ?? [];
        const priced = policies.find(({ id }) => id === named[0])?.toolPolicies ?? {};
        const ofTool = decisions.filter(
          (one) =>
            named.every((name) => one.mandate?.policies.includes(`${name}@2`)) &&
            one.type === 'tool_call' &&
            (tool === undefined ? !Object.hasOwn(priced, one.tool ?? '') : one.tool === tool),
        );
        told += ofTool.length;
        expect(
          ofTool.filter((one) => judged(one) === 'ALLOW'),
          message,
        ).toEqual([]);
      }
    }),
    { numRuns: 80 },
  );
  expect(told).toBeGreaterThan(10);
});
