/**
 * Tests that the work of rules and policies for one action is counted and limited. Every process counts the same
 * steps, whatever the order of rules and the contents of caches. Actions that need more steps are refused. Shadow
 * rules do not change that.
 */

import { foldControl, loadControl, type MandatesUnderControl, mandatesUnderControl } from '@mandate/control';
import { planInForce } from '@mandate/policy';
import { type Action, CAPS, controlRecord, type Plan } from '@mandate/schemas';
import { runs } from '@mandate/testing';
import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { START_MS } from '../decider-in-a-box.ts';

// The timeout is long: some tests take a second or two, and more on a busy machine.
vi.setConfig({ testTimeout: 60_000 });

/**
 * The most expensive pattern of about this length. For a text of a and b, each of its thousand parts can match the
 * next letter or nothing.
 */
const DEAR = '(?:[ab]?){1000}[cd]';
const TEXT = 'ab'.repeat(CAPS.stringUnits / 2);

type Rule = { id: string } & Record<string, unknown>;

function under(rules: readonly Rule[], more: readonly object[] = []): MandatesUnderControl {
  const fold = foldControl();
  const records = [
    { event: 'agent.put', agent: { id: 'lead' } },
    { event: 'agent.put', agent: { id: 'bot', parent: 'lead' } },
    { event: 'agent.put', agent: { id: 'alone', labels: { text: TEXT } } },
    { event: 'policy.published', policy: { version: 1, id: 'open' } },
    ...more,
    ...rules.map((rule) => ({ event: 'rule.put', rule: { version: 1, policy: 'open', ...rule } })),
  ];
  for (const [at, record] of records.entries()) {
    const change = { id: `c${at}`, tenant: 'acme', by: 'ann', reason: '', at: '2026-03-01T12:00:00.000Z' };
    fold.apply(controlRecord.parse({ change, ...record }), at + 1);
  }
  return mandatesUnderControl(fold, () => records.length);
}

function planned(mandates: MandatesUnderControl, note: string, agentId = 'alone'): Plan {
  const action: Action = { id: 'a', agentId, type: 'tool_call', tool: 'send', args: { note } };
  return planInForce(mandates, 'acme', action, START_MS);
}

const matches = (value: string, field = 'action.args.note') => ({ field, op: 'matches', value });
const manyOf = (condition: object) => ({ any: Array.from({ length: 99 }, () => condition) });

test('the most expensive rules are refused after a fixed number of steps, and the reason names the rule', () => {
  const rules = Array.from({ length: 100 }, (_, at) => ({ id: `r${at}`, when: manyOf(matches(DEAR)) }));
  const mandates = under(rules);
  const { refusal, checks } = planned(mandates, TEXT);
  expect(refusal).toMatchObject({ code: 'RULES_TOO_COSTLY', final: true });
  expect(refusal?.reason).toContain('"r0"');
  expect(checks).toEqual([
    { check: 'within-steps', result: 'block', evidence: { rule: 'r0', steps: CAPS.stepsPerAction } },
  ]);
  // This action has no such text, so no pattern is run, and no rule matches.
  expect(
    mandates.mandateFor('acme', { id: 'a', agentId: 'alone', type: 'tool_call', tool: 't' }, START_MS).refused
      ?.refusal,
  ).toMatchObject({ code: 'MANDATE_NOT_FOUND' });
});

test('conditions on the agent itself are counted too', () => {
  const mandates = under([{ id: 'own', when: matches(DEAR, 'agent.labels.text') }]);
  expect(planned(mandates, '').refusal).toMatchObject({ code: 'RULES_TOO_COSTLY' });
});

test('rules of ancestors get only the steps that the sub-agent’s rules have left', () => {
  const rules = [{ id: 'all', when: { not: [matches('a{1000}$')] } }];
  const mandates = under(rules);
  // For this text, the rule takes two thousand steps for each character.
  const note = 'ab'.repeat(1_500);
  expect(planned(mandates, note, 'lead').refusal).toBeNull();
  const { refusal } = planned(mandates, note, 'bot');
  expect(refusal?.reason).toContain('"all" of "lead"');
  expect(planned(under(rules), note, 'bot').refusal).toEqual(refusal);
  // The plan must name the ancestors even if their rules are not evaluated, because a kill of an ancestor must stop
  // the agent.
  expect(planned(mandates, TEXT, 'bot').ancestors).toEqual(['lead']);
});

test('a cached result of an ancestor counts as many steps as a computed one', () => {
  const mandates = under([{ id: 'all', when: { not: [1, 2, 3].map(() => matches('a{1000}$')) } }]);
  const note = 'ab'.repeat(450);
  expect(planned(mandates, note, 'lead').refusal).toBeNull();
  expect(planned(mandates, note, 'bot').refusal?.reason).toContain('"all" of "lead"');
});

const pattern = fc.constantFrom('a', 'b$', '(?:[ab]?){300}[cd]', '(?:[ab]?){900}[cd]');
const rule = fc.record(
  {
    mode: fc.constantFrom('enforce', 'observe', 'shadow'),
    priority: fc.nat(3),
    agents: fc.constantFrom(['*'], ['lead'], ['bot']),
    when: fc.oneof(
      pattern.map((value) => matches(value)),
      fc
        .tuple(fc.constantFrom('any', 'all', 'not'), fc.array(pattern, { maxLength: 3 }))
        .map(([how, all]) => ({
          [how]: all.map((value) => matches(value)),
        })),
    ),
  },
  { requiredKeys: [] },
);
const rules = fc
  .array(rule, { minLength: 1, maxLength: 6, size: 'max' })
  .map((all) => all.map((one, at) => ({ id: `r${at}`, ...one })));
const asked = fc.array(
  fc.record({
    agentId: fc.constantFrom('alone', 'lead', 'bot'),
    note: fc.nat(3).map((times) => 'ab'.repeat(times * 1_200 + 1)),
  }),
  { minLength: 1, maxLength: 4 },
);

test('the decision does not depend on the order of rules, or on earlier decisions', () => {
  const told = new Set<string>();
  fc.assert(
    fc.property(rules, asked, fc.func(fc.nat()), (drawn, questions, place) => {
      const remembering = under(drawn);
      for (const { agentId, note } of questions) {
        const fresh = planned(under(drawn), note, agentId);
        told.add(fresh.refusal?.code ?? 'none');
        expect(planned(remembering, note, agentId)).toEqual(fresh);
        const other = drawn.toSorted((one, two) => place(one.id) - place(two.id));
        const reordered = under(other.map((one, priority) => ({ ...one, priority })));
        expect(inAnyOrder(planned(reordered, note, agentId))).toEqual(inAnyOrder(fresh));
      }
    }),
    { numRuns: runs(60) },
  );
  expect(told).toEqual(new Set(['none', 'RULES_TOO_COSTLY', 'MANDATE_NOT_FOUND']));
});

/** Returns the plan with its shadow rules sorted, because they are reported in their own order. */
function inAnyOrder({ shadow, ...plan }: Plan) {
  const { rules = [], policies = [], ...told } = shadow ?? {};
  return { ...plan, shadow: { ...told, rules: rules.toSorted(), policies: policies.toSorted() } };
}

test('if a shadow rule takes too many steps, its verdict is unknown, and the decision does not change', () => {
  const kept = [{ id: 'kept' }];
  const dear = { id: 'watching', mode: 'shadow', when: manyOf(matches(DEAR)) };
  const { shadow, ...beside } = planned(under([...kept, dear]), TEXT);
  const { shadow: none, ...without } = planned(under(kept), TEXT);
  expect(beside).toEqual(without);
  expect(none).toBeUndefined();
  expect(shadow).toMatchObject({ rules: ['watching'], policies: ['open@1'], holdsUntilMs: 0, code: null });
});

test('searching a short text in a long text takes one step for each character of the long text', () => {
  const sought = `${'a'.repeat(999)}b`;
  const contains = { field: 'action.args.note', op: 'contains', value: sought };
  const mandates = under([
    { id: 'long', when: { not: [{ any: Array.from({ length: 90 }, () => contains) }] } },
  ]);
  expect(planned(mandates, 'a'.repeat(CAPS.stringUnits)).refusal).toBeNull();
  expect(planned(mandates, `${'a'.repeat(60_000)}b`).refusal).toMatchObject({ code: 'MANDATE_NOT_FOUND' });
});

test('the work of all pattern lists together is limited, and grows with the length of a name', () => {
  const lists = Array.from({ length: 60 }, (_, at) => ({
    event: 'policy.published',
    policy: {
      version: 1,
      id: `p${at}`,
      deniedTools: Array.from({ length: 3_600 }, (_, each) => `s*${each}x*y`),
    },
  }));
  const given = lists.map(({ policy: { id } }) => ({ id: `r-${id}`, policy: id }));
  const mandates = under(given, lists);
  const plan = (tool: string) =>
    planInForce(mandates, 'acme', { id: 'a', agentId: 'alone', type: 'tool_call', tool }, START_MS);
  expect(plan('send').refusal).toBeNull();
  expect(plan('s'.repeat(200)).refusal).toMatchObject({ code: 'RULES_TOO_COSTLY' });
});

const dearRule = (patterns: number) =>
  JSON.stringify({
    kind: 'rule',
    version: 1,
    id: 'dear',
    policy: 'open',
    when: { any: Array.from({ length: patterns }, () => matches('a{1000}$')) },
  });

test('a document with too large patterns is refused with their position, and existing documents stay', () => {
  const { kind: _, ...dear } = JSON.parse(dearRule(10));
  expect(loadControl(`---\n${dearRule(9)}`)).toMatchObject({ ok: true });
  expect(loadControl(`---\n${dearRule(10)}`)).toEqual({
    ok: false,
    faults: [
      {
        line: 2,
        column: 56,
        path: 'when',
        message: expect.stringContaining('patterns of more than 20000 steps together'),
      },
    ],
  });
  const mandates = under([dear]);
  expect(planned(mandates, 'b'.repeat(1_000)).refusal).toMatchObject({ code: 'RULES_TOO_COSTLY' });
  expect(planned(mandates, 'no').refusal).toMatchObject({ code: 'MANDATE_NOT_FOUND' });
});

test.each<[string, (at: number) => object]>([
  ['objects', () => ({ type: 'object', anyOf: Array.from({ length: 300 }, () => ({ type: 'object' })) })],
  [
    'steps',
    (at) => ({ type: 'object', properties: { [`a${at}`]: { type: 'string', pattern: 'a{1000}$' } } }),
  ],
])('the argument schemas of a policy together have a limit on their size: %s', (what, schema) => {
  const tool = (at: number) => [`t${at}`, { argumentValidation: { schema: schema(at) } }];
  const policy = (tools: number) =>
    `---\n${JSON.stringify({
      kind: 'policy',
      version: 1,
      id: 'many',
      toolPolicies: Object.fromEntries(Array.from({ length: tools }, (_, at) => tool(at))),
    })}`;
  const most = what === 'objects' ? 16 : 9;
  expect(loadControl(policy(most))).toMatchObject({ ok: true });
  const loaded = loadControl(policy(most + 5));
  expect(loaded).toMatchObject({ ok: false, faults: [{ line: 2, message: expect.stringContaining(what) }] });
  expect(loaded.ok ? [] : loaded.faults.map(({ path }) => path)).toEqual([
    `toolPolicies.t${most}.argumentValidation`,
  ]);
});
