/** What the rules raise, of histories that are three literals; and that it is the same however often they are read. */
import { silentLogger } from '@mandate/runtime';
import type { DecisionsRecord } from '@mandate/schemas';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createEvaluator } from './evaluator.ts';
import { Alarms, type Raised } from './rules/alarms.ts';
import { type Alerting, DEFAULT_ALERTING, loadAlerting } from './rules/alert-rules.ts';
import {
  adjusted,
  approved,
  decided,
  killed,
  logged,
  START_MS,
  sawBudget,
  settled,
} from './rules/decided.fixture.ts';
import { drifted } from './rules/drift-rule.ts';

function alertingOf(rules: string): Alerting {
  const loaded = loadAlerting(`{ version: 1, rules: ${rules} }`, {});
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.faults));
  return loaded.alerting;
}

/** Only what a test is about: everything else is off. */
const ONLY_OFF = {
  kill: false,
  approval: false,
  budget: false,
  overdrawn: false,
  firstUse: false,
  excess: false,
  costPerCall: false,
  blockRate: false,
  releaseRate: false,
  lag: false,
  drift: false,
};
const only = (rules: object) => alertingOf(JSON.stringify({ ...ONLY_OFF, ...rules }));

function evaluatorOn(alarms: Alarms, alerting: Alerting, begun = new Map<number, number>()) {
  return createEvaluator({ alarms, alerting: () => alerting, begun, log: silentLogger() });
}

/** `raised` or `cleared`, and of what. */
function raisedBy(records: readonly DecisionsRecord[], alerting: Alerting = DEFAULT_ALERTING): Raised[] {
  const raised = evaluatorOn(new Alarms(), alerting).evaluate(
    records.map((record, at) => logged(record, at)),
  );
  return raised.filter(({ alert }) => !alert.quiet);
}

const brief = (raised: readonly Raised[]) =>
  raised.map(({ event, alert }) => `${event} ${alert.rule} ${alert.subject}`);

test('a flood of questions of one agent is on record, and told of in few words', () => {
  const webhooks = [{ name: 'ops', url: 'https://ops.example/hook', secrets: [{ env: 'OPS' }] }];
  const loaded = loadAlerting(JSON.stringify({ version: 1, webhooks }), { OPS: `whsec_${'A'.repeat(32)}` });
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.faults));
  const questions = Array.from({ length: 48 }, (_, at) =>
    decided(at + 1, {
      ...{ verdict: 'DEFER' as const, code: 'APPROVAL_REQUIRED' as const, actionId: `a-${at}` },
      decidedAt: new Date(START_MS + (at < 47 ? at * 100 : 61_000)).toISOString(),
    }),
  );
  const raised = raisedBy(questions, loaded.alerting).filter(({ alert }) => alert.rule === 'approval');
  expect(raised).toHaveLength(48);
  const told = raised.filter(({ alert }) => alert.webhooks.length > 0);
  expect(told).toHaveLength(11);
  expect(told.at(-1)?.alert.said).toContain('And 37 more before it');
});

describe('kill switches', () => {
  const everything = killed(1, { scope: 'all' });
  const agent = killed(2, { scope: 'agent', tenant: 'acme', agentId: 'bot' });

  test('each is told of once, though it lies in every partition', () => {
    const evaluator = evaluatorOn(new Alarms(), DEFAULT_ALERTING);
    const raised = [0, 1, 2].flatMap((partition) => evaluator.evaluate([logged(everything, 0, partition)]));
    expect(brief([...raised, ...evaluator.evaluate([logged(agent, 1)])])).toEqual([
      'alert.raised kill kill-1',
      'alert.raised kill kill-2',
    ]);
  });

  test('the alert says whom, by whom and why', () => {
    const [alert] = raisedBy([agent]).map(({ alert }) => alert);
    expect(alert).toMatchObject({
      tenant: 'acme',
      said: 'The agent bot was killed by key:ops: it loops. 0 actions were open.',
      facts: { scope: 'agent', agentId: 'bot', by: 'key:ops', reason: 'it loops' },
      record: { partition: 0, offset: '0' },
    });
    expect(raisedBy([everything])[0]?.alert.tenant).toBeNull();
  });
});

describe('actions that wait for a person', () => {
  const rules = only({ approval: {} });
  const deferral = { verdict: 'DEFER', code: 'APPROVAL_REQUIRED' } as const;

  test('until somebody answers', () => {
    const history = [decided(1, deferral), approved(2, { actionId: 'act-1' })];
    expect(brief(raisedBy(history, rules))).toEqual([
      'alert.raised approval bot act-1',
      'alert.cleared approval bot act-1',
    ]);
  });

  test('asking again raises nothing, and a repeat of something else clears nothing', () => {
    const again = decided(2, { ...deferral, kind: 'duplicate', actionId: 'act-1' });
    const repeat = decided(3, {
      kind: 'duplicate',
      verdict: 'BLOCK',
      code: 'DUPLICATE_ACTION',
      actionId: 'act-1',
    });
    expect(brief(raisedBy([decided(1, deferral), again, repeat], rules))).toEqual([
      'alert.raised approval bot act-1',
    ]);
  });
});

describe('budgets', () => {
  const rules = only({ budget: {} });
  const at = (n: number, spentMicros: number, chargedMicros: number, maxMicros = 10_000_000) =>
    decided(n, { checks: [sawBudget(spentMicros, maxMicros)], chargedMicros });
  const levels = (...history: readonly DecisionsRecord[]) =>
    raisedBy(history, rules).map(({ event, alert }) => `${event} ${String(alert.facts.percent)}`);

  test('the thresholds, to the micro-dollar', () => {
    expect(levels(at(1, 7_000_000, 999_999))).toEqual([]);
    expect(levels(at(1, 7_000_000, 1_000_000))).toEqual(['alert.raised 80']);
    expect(levels(at(1, 9_999_998, 1))).toEqual(['alert.raised 80']);
    expect(levels(at(1, 9_999_999, 1))).toEqual(['alert.raised 80', 'alert.raised 100']);
  });

  test('the largest amounts there are', () => {
    const max = Number.MAX_SAFE_INTEGER;
    expect(levels(at(1, max - 1, 0, max))).toEqual(['alert.raised 80']);
    expect(levels(at(1, max, 0, max))).toEqual(['alert.raised 80', 'alert.raised 100']);
    // 80 % of it is no whole number: the next smaller one has not reached it.
    const least = Number((BigInt(max) * 80n + 99n) / 100n);
    expect(levels(at(1, least - 1, 0, max))).toEqual([]);
    expect(levels(at(1, least, 0, max))).toEqual(['alert.raised 80']);
  });

  test('each once, until it has freed again by ten points', () => {
    const hovering = [at(1, 8_000_000, 0), at(2, 7_000_000, 0), at(3, 8_000_000, 0)];
    expect(levels(...hovering)).toEqual(['alert.raised 80']);
    const freed = [at(1, 8_000_000, 0), at(2, 6_999_999, 0), at(3, 8_000_000, 0)];
    expect(levels(...freed)).toEqual(['alert.raised 80', 'alert.cleared 80', 'alert.raised 80']);
    const ids = raisedBy(freed, rules).map(({ alert }) => alert.id);
    expect(new Set(ids).size).toBe(3);
  });

  test('an operator gives back', () => {
    expect(levels(at(1, 8_000_000, 0), adjusted(2, { spentMicros: 1 }))).toEqual([
      'alert.raised 80',
      'alert.cleared 80',
    ]);
    expect(levels(adjusted(2, { spentMicros: 9_000_000 }))).toEqual([]);
  });

  test('whose it is follows from the scope', () => {
    const checks = ['agent', 'principal', 'tenant', 'mandate'].map((scope) =>
      sawBudget(9, 10, { scope, id: 'b' }),
    );
    const mandate = { id: 'm', hash: '', rules: [], policies: [] };
    const action = {
      id: 'a',
      agentId: 'bot',
      type: 'tool_call',
      tool: 't',
      principal: { id: 'u1' },
    } as const;
    expect(
      raisedBy([decided(1, { checks, mandate, action })], rules).map(({ alert }) => alert.subject),
    ).toEqual([
      'agent bot b lifetime m 80',
      'principal u1 b lifetime m 80',
      'tenant  b lifetime m 80',
      'mandate m b lifetime m 80',
    ]);
  });

  test('mandates that share a counter have a limit each, and each is told of once', () => {
    const under = (n: number, id: string, maxMicros: number) =>
      decided(n, {
        mandate: { id, hash: '', rules: [], policies: [] },
        checks: [sawBudget(45, maxMicros, { scope: 'tenant', id: 'team' })],
      });
    const history = [1, 2, 3, 4].map((n) => (n % 2 === 0 ? under(n, 'wide', 100) : under(n, 'narrow', 50)));
    expect(brief(raisedBy(history, rules))).toEqual(['alert.raised budget tenant  team lifetime narrow 80']);
  });

  test('a budget that a policy sets is told of once, under however many mandates', () => {
    const under = (n: number, id: string) =>
      decided(n, {
        mandate: { id, hash: '', rules: ['r'], policies: ['refunds@1'] },
        checks: [
          { ...sawBudget(45, 50, { scope: 'tenant', id: 'team' }), policy: 'refunds@1' },
          { ...sawBudget(45, 50, { scope: 'mandate', id: 'shared' }), policy: 'refunds@1' },
        ],
      });
    const raised = raisedBy([under(1, 'rules'), under(2, 'mnd_1'), under(3, 'mnd_2')], rules);
    expect(brief(raised)).toEqual([
      'alert.raised budget tenant  team lifetime refunds 80',
      'alert.raised budget mandate refunds shared lifetime refunds 80',
    ]);
  });

  test('what limits nothing, or allows nothing at all, is no budget that fills', () => {
    const unlimited = decided(1, { checks: [sawBudget(9, 10, { maxMicros: null })] });
    expect(levels(unlimited, at(2, 0, 0, 0))).toEqual([]);
    expect(levels(decided(1, { checks: [{ check: 'budget', said: 'skip' }] }))).toEqual([]);
  });

  test('an older record of another partition changes nothing', () => {
    const evaluator = evaluatorOn(new Alarms(), rules);
    const team = (n: number, spent: number) =>
      decided(n, { agentId: `bot-${n}`, checks: [sawBudget(spent, 100, { scope: 'tenant', id: 'team' })] });
    const raised = [
      ...evaluator.evaluate([logged(team(5, 80), 0, 0)]),
      ...evaluator.evaluate([logged(team(4, 10), 0, 1)]),
      ...evaluator.evaluate([logged(team(6, 81), 1, 1)]),
    ];
    expect(brief(raised).filter((line) => line.includes('budget'))).toEqual([
      'alert.raised budget tenant  team lifetime m 80',
    ]);
  });
});

test('an agent that overdraws, until it may spend again', () => {
  const over = { marks: ['OVERDRAWN' as const] };
  const history = [
    settled(1, over),
    settled(2, over),
    decided(3, { verdict: 'BLOCK' }),
    decided(4),
    settled(5, over),
  ];
  expect(brief(raisedBy(history, only({ overdrawn: true })))).toEqual([
    'alert.raised overdrawn bot',
    'alert.cleared overdrawn bot',
    'alert.raised overdrawn bot',
  ]);
});

describe('the first use of a tool', () => {
  const rules = only({ firstUse: true });

  test('by each agent, once it is allowed', () => {
    const refused = decided(1, { verdict: 'BLOCK', tool: 'refund' });
    const history = [
      refused,
      decided(2, { tool: 'refund' }),
      decided(3, { tool: 'refund' }),
      decided(4, { agentId: 'b2', tool: 'refund' }),
    ];
    expect(brief(raisedBy(history, rules))).toEqual([
      'alert.raised first_use bot refund',
      'alert.raised first_use b2 refund',
    ]);
  });

  test('what was used before there were alerts, or while nobody asked, is known', () => {
    const alarms = new Alarms();
    const before = evaluatorOn(alarms, rules, new Map([[0, 1]])).evaluate([logged(decided(1), 0)]);
    expect(before.map(({ alert }) => [alert.rule, alert.quiet, alert.webhooks])).toEqual([
      ['first_use', true, []],
    ]);
    const off = evaluatorOn(alarms, only({})).evaluate([logged(decided(2, { tool: 'refund' }), 1)]);
    expect(off.map(({ alert }) => alert.quiet)).toEqual([true]);
    const later = [
      logged(decided(3), 2),
      logged(decided(4, { tool: 'refund' }), 3),
      logged(decided(5, { tool: 'new' }), 4),
    ];
    expect(brief(evaluatorOn(alarms, rules).evaluate(later))).toEqual(['alert.raised first_use bot new']);
  });

  test('history raises nothing else', () => {
    const begun = new Map([[0, 2]]);
    const history = [killed(1, { scope: 'all' }), decided(2, { checks: [sawBudget(9, 10)] })];
    const raised = evaluatorOn(new Alarms(), DEFAULT_ALERTING, begun).evaluate(
      history.map((record, at) => logged(record, at)),
    );
    expect(raised.filter(({ alert }) => !alert.quiet)).toEqual([]);
  });
});

describe('a share of BLOCK', () => {
  const rules = only({ blockRate: { percent: 50, leastDecisions: 4, windowMs: 30_000 } });
  const blocked = (n: number, given = {}) => decided(n, { verdict: 'BLOCK', ...given });

  test('is told of once, and is over at half of it', () => {
    const history = [
      decided(1),
      decided(2),
      blocked(3),
      blocked(4),
      blocked(5),
      ...[6, 7, 8, 9, 10, 11, 12].map((n) => decided(n)),
    ];
    const [raised, ...none] = raisedBy(history, rules);
    expect([raised?.alert.subject, none]).toEqual(['agent bot', []]);
    expect(raised?.alert.said).toBe('Of 4 decisions for bot in 30 s, 2 were BLOCK.');
    const over = [...history, decided(13)];
    expect(brief(raisedBy(over, rules))).toEqual([
      'alert.raised block_rate agent bot',
      'alert.cleared block_rate agent bot',
    ]);
  });

  test('of too few says nothing, nor of repeats', () => {
    expect(raisedBy([blocked(1), blocked(2), blocked(3)], rules)).toEqual([]);
    expect(
      raisedBy(
        [1, 2, 3, 4, 5].map((n) => blocked(n, { kind: 'duplicate' })),
        rules,
      ),
    ).toEqual([]);
  });

  test('of long ago does not count', () => {
    expect(raisedBy([blocked(1), blocked(2), blocked(32), blocked(33)], rules)).toEqual([]);
  });

  test('of a tenant counts all its agents, whichever partition they lie in', () => {
    const perTenant = only({ blockRate: { leastDecisions: 4, windowMs: 30_000, per: 'tenant' } });
    const evaluator = evaluatorOn(new Alarms(), perTenant);
    const raised = [1, 2, 3, 4].flatMap((n) =>
      evaluator.evaluate([logged(blocked(n, { agentId: `bot-${n}` }), 0, n)]),
    );
    expect(brief(raised)).toEqual(['alert.raised block_rate tenant']);
  });

  test('that comes again, because it could not be committed, is not counted again', () => {
    const history = [1, 2].map((n) => logged(blocked(n), n));
    const evaluator = evaluatorOn(new Alarms(), rules);
    expect([...evaluator.evaluate(history), ...evaluator.evaluate(history)]).toEqual([]);
  });

  test('is counted on after a restart, from what lies before', () => {
    const history = [1, 2, 3, 4].map((n) => logged(blocked(n), n));
    const evaluator = evaluatorOn(new Alarms(), rules);
    evaluator.recall(history.slice(0, 3));
    expect(brief(evaluator.evaluate(history.slice(3)))).toEqual(['alert.raised block_rate agent bot']);
  });
});

describe('a share that is given back', () => {
  const rules = only({ releaseRate: { percent: 50, leastOutcomes: 2, windowMs: 30_000 } });
  const allowed = (n: number, given = {}) => decided(n, { tool: 'pay', chargedMicros: 100, ...given });
  const cancelled = { status: 'cancelled', deltaMicros: -100, chargedMicros: 0 } as const;
  /** The outcome of the action of the `n`th decision. */
  const ended = (n: number, given: Parameters<typeof settled>[1] = {}) =>
    settled(n, { chargedMicros: 100, ...given });
  const twice = (given: Parameters<typeof settled>[1]) => [
    ...[allowed(1), allowed(2)],
    ...[ended(1, given), ended(2, given)],
  ];

  test('is told of once for an agent and tool, and is over at half of it', () => {
    const history = [...twice(cancelled), allowed(3), ended(3, cancelled)];
    const raised = raisedBy(history, rules);
    expect(brief(raised)).toEqual(['alert.raised release_rate agent bot pay']);
    expect(raised[0]?.alert.said).toBe(
      'Outcomes of pay that did not succeed gave back, or tried to, $0.0002 of the $0.0002 that bot reserved in 30 s.',
    );
    const others = Array.from({ length: 10 }, (_, at) => at + 4);
    const over = [...history, ...others.flatMap((n) => [allowed(n), ended(n)])];
    expect(brief(raisedBy(over, rules)).at(-1)).toBe('alert.cleared release_rate agent bot pay');
  });

  test.each([
    ['a failed verification', { verified: false, deltaMicros: -100, chargedMicros: 0 }],
    ['a give-back that was refused', { status: 'failure', marks: ['RELEASE_REFUSED'] }],
  ] as const)('counts %s', (_, given) => {
    expect(
      brief(raisedBy(twice({ ...given, marks: [...('marks' in given ? given.marks : [])] }), rules)),
    ).toEqual(['alert.raised release_rate agent bot pay']);
  });

  test.each([
    ['a success that cost less than was reserved', { deltaMicros: -90, chargedMicros: 10 }],
    ['an outcome that settles nothing', { ...cancelled, kind: 'repeated' }],
  ] as const)('does not count %s', (_, given) => {
    expect(raisedBy(twice(given), rules)).toEqual([]);
  });

  test('is counted apart for each tool', () => {
    const history = [allowed(1), allowed(2, { tool: 'look' }), ended(1, cancelled), ended(2, cancelled)];
    expect(raisedBy(history, rules)).toEqual([]);
  });

  test('adds amounts that no number holds together', () => {
    const most = Number.MAX_SAFE_INTEGER;
    const history = [1, 2, 3].flatMap((n) => [
      allowed(n, { chargedMicros: most }),
      ended(n, { ...cancelled, deltaMicros: -most }),
    ]);
    const [raised] = raisedBy(history, rules);
    expect(raised?.alert.facts).toMatchObject({ reservedMicros: most, releasedMicros: most });
  });

  test('is counted on after a restart, from what came before', () => {
    const history = [...twice(cancelled)].map((record, n) => logged(record, n));
    const evaluator = evaluatorOn(new Alarms(), rules);
    evaluator.recall(history.slice(0, 3));
    expect(brief(evaluator.evaluate(history.slice(3)))).toEqual(['alert.raised release_rate agent bot pay']);
  });
});

describe('an actual cost that is too much', () => {
  const rules = only({ excess: true, costPerCall: true, overdrawn: true });

  test('is told of once a day for each agent, by each of its marks', () => {
    const marks = ['EXCESS_QUARANTINED', 'OVERDRAWN', 'COST_PER_CALL_EXCEEDED'] as const;
    const given = {
      marks: [...marks],
      excessMicros: 5,
      actualCostMicros: 1_000_005,
      chargedMicros: 1_000_000,
    };
    const [raised, ...others] = raisedBy([settled(1, given), settled(2, given)], rules);
    expect(brief(others)).toEqual([
      'alert.raised excess bot 2026-01-05',
      'alert.raised cost_per_call bot 2026-01-05',
    ]);
    expect(brief(raised === undefined ? [] : [raised])).toEqual(['alert.raised overdrawn bot']);
    const [excess, perCall] = others;
    expect(excess?.alert.said).toBe(
      "An action of bot cost more than its cap: $1.00 are charged, and $0.000005 wait for a person's decision.",
    );
    expect(perCall?.alert.said).toBe(
      'An action of bot cost $1.000005, which is more than its maxCostPerCall.',
    );
    const nextDay = settled(86_400, given);
    expect(brief(raisedBy([settled(1, given), nextDay], rules))).toHaveLength(5);
  });
});

test('decisions that fall late, until they fall in time', () => {
  const behind = (n: number, ms: number) =>
    decided(n, { decidedAt: new Date(START_MS + n * 1_000 + ms).toISOString() });
  const history = [behind(1, 29_999), behind(2, 30_000), behind(3, 15_001), behind(4, 15_000)];
  const raised = raisedBy(history, only({ lag: {} }));
  expect(raised.map(({ event, alert }) => [event, alert.tenant, alert.facts.behindMs])).toEqual([
    ['alert.raised', null, 30_000],
    ['alert.cleared', null, 15_000],
  ]);
});

test('drift, from a reconciler that finds some until one that finds none', () => {
  const evaluator = evaluatorOn(new Alarms(), DEFAULT_ALERTING);
  const clean = { driftMicros: 0, counters: 3, differences: 0, doubledActions: 0, brokenLaws: 0 };
  const tell = (n: number, found: object) =>
    evaluator.raise(drifted('acme', { ...clean, ...found }, START_MS + n))?.event ?? null;
  expect([
    tell(1, {}),
    tell(2, { driftMicros: 10, differences: 1 }),
    tell(3, { driftMicros: 10, differences: 1 }),
    tell(4, {}),
    tell(5, { doubledActions: 1 }),
    tell(6, {}),
    tell(7, { brokenLaws: 1 }),
  ]).toEqual([null, 'alert.raised', null, 'alert.cleared', 'alert.raised', 'alert.cleared', 'alert.raised']);
});

test('a decision of a ledger that was overtaken raises nothing, and neither does what nobody can read', () => {
  const epoch: DecisionsRecord = {
    event: 'ledger.epoch',
    epoch: { id: 'ep-2', generation: 1, previous: 'ep-1', reason: '', at: new Date(START_MS).toISOString() },
  };
  const unreadable = { ...logged(decided(3), 2), value: Buffer.from('{}') };
  const records = [
    logged(epoch, 0),
    logged(decided(1, { ledgerEpoch: 'ep-1' }), 1),
    unreadable,
    logged(decided(2, { ledgerEpoch: 'ep-2', tool: 'b' }), 3),
  ];
  expect(brief(evaluatorOn(new Alarms(), DEFAULT_ALERTING).evaluate(records))).toEqual([
    'alert.raised first_use bot b',
  ]);
});

/** One agent's history: what each rule looks at, at random. */
const step = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('decided' as const),
      agent: fc.nat(1),
      tool: fc.nat(3),
      verdict: fc.constantFrom('ALLOW' as const, 'BLOCK' as const, 'DEFER' as const),
      spent: fc.nat(110),
    }),
  },
  fc.record({ kind: fc.constant('settled' as const), agent: fc.nat(1), over: fc.boolean() }),
  fc.record({ kind: fc.constant('answered' as const), agent: fc.nat(1), action: fc.nat(40) }),
  fc.record({ kind: fc.constant('given back' as const), agent: fc.nat(1), spent: fc.nat(110) }),
  fc.record({ kind: fc.constant('killed' as const), agent: fc.nat(1) }),
);

function recordOf(one: typeof step extends fc.Arbitrary<infer S> ? S : never, n: number): DecisionsRecord {
  const agentId = `bot-${one.agent}`;
  switch (one.kind) {
    case 'decided':
      return decided(n, {
        agentId,
        tool: `tool-${one.tool}`,
        verdict: one.verdict,
        checks: [sawBudget(one.spent, 100)],
      });
    case 'settled':
      return settled(n, { agentId, marks: one.over ? ['OVERDRAWN'] : [] });
    case 'answered':
      return approved(n, { agentId, actionId: `act-${one.action}` });
    case 'given back':
      return adjusted(n, {
        budget: { scope: 'agent', subject: agentId, id: 'total', windowMs: null },
        spentMicros: one.spent,
      });
    case 'killed':
      return killed(n, { scope: 'agent', tenant: 'acme', agentId });
  }
}

/**
 * What should be raised of a history, told plainly: no ids, no orders, no fold, only what stands. The rate of blocks is
 * counted over again for every decision.
 */
function plainly(records: readonly DecisionsRecord[]): string[] {
  const said: string[] = [];
  const stands = new Map<string, number>();
  const set = (what: string, holds: boolean) => {
    const [isUp, times] = [((stands.get(what) ?? 0) & 1) === 1, stands.get(what) ?? 0];
    if (isUp === holds) return;
    stands.set(what, times + 1);
    said.push(`${holds ? 'raised' : 'cleared'} ${what} ${Math.floor(times / 2) + 1}`);
  };
  const limits = new Set<string>();
  const level = (agent: string, spent: number) => {
    for (const percent of [80, 100]) {
      if (spent >= percent) set(`budget agent ${agent} total lifetime m ${percent}`, true);
      else if (spent < percent - 10) set(`budget agent ${agent} total lifetime m ${percent}`, false);
    }
  };
  records.forEach((record, at) => {
    if (record.event === 'agent.killed') set(`kill ${record.kill.id}`, true);
    if (record.event === 'approval.recorded')
      set(`approval ${record.approval.agentId} ${record.approval.actionId}`, false);
    if (record.event === 'action.settled' && record.settlement.marks.includes('OVERDRAWN'))
      set(`overdrawn ${record.settlement.agentId}`, true);
    if (record.event === 'budget.adjusted') {
      const { budget, spentMicros } = record.adjustment;
      for (const percent of [80, 100]) {
        const what = `budget agent ${budget.subject} total lifetime m ${percent}`;
        if (!stands.has(what)) continue;
        if (spentMicros >= percent) set(what, true);
        else if (spentMicros < percent - 10) set(what, false);
      }
    }
    if (record.event !== 'action.decided') return;
    const { agentId, actionId, tool, verdict, checks, decidedAt } = record.decision;
    set(`approval ${agentId} ${actionId}`, verdict === 'DEFER');
    const [{ saw }] = checks as unknown as [{ saw: { spentMicros: number } }];
    level(agentId, saw.spentMicros);
    limits.add(agentId);
    if (verdict === 'ALLOW') {
      set(`overdrawn ${agentId}`, false);
      set(`first_use ${agentId} ${tool}`, true);
    }
    const bucket = (time: string) => Math.floor(Date.parse(time) / 1_000);
    const recent = records.slice(0, at + 1).flatMap((other) => {
      if (other.event !== 'action.decided' || other.decision.agentId !== agentId) return [];
      return bucket(other.decision.decidedAt) > bucket(decidedAt) - 30 ? [other.decision.verdict] : [];
    });
    const blocks = recent.filter((one) => one === 'BLOCK').length;
    if (recent.length >= 4 && blocks * 2 >= recent.length) set(`block_rate agent ${agentId}`, true);
    else if (blocks * 4 < recent.length) set(`block_rate agent ${agentId}`, false);
  });
  return said;
}

test('whatever the history, redeliveries and restarts: exactly what the history says, each under one id', () => {
  const alerting = alertingOf(
    '{ blockRate: { percent: 50, leastDecisions: 4, windowMs: 30000 }, lag: false }',
  );
  fc.assert(
    fc.property(
      fc.array(step, { maxLength: 60 }),
      fc.array(
        fc.record({
          batch: fc.integer({ min: 1, max: 9 }),
          crash: fc.constantFrom('none', 'before the append', 'before the commit'),
        }),
        { minLength: 1 },
      ),
      (steps, pace) => {
        const records = steps.map(recordOf);
        const log = records.map((record, at) => logged(record, at));
        const topic: Raised[] = [];
        const restarted = () => {
          const alarms = new Alarms();
          for (const raised of topic) alarms.apply(raised);
          return evaluatorOn(alarms, alerting);
        };
        let evaluator = restarted();
        let committed = 0;
        for (let turn = 0; committed < log.length; turn++) {
          const { batch = 1, crash = 'none' } = turn < 200 ? (pace[turn % pace.length] ?? {}) : {};
          const raised = evaluator.evaluate(log.slice(committed, committed + batch));
          if (crash !== 'before the append') topic.push(...raised);
          if (crash === 'none') committed += batch;
          else {
            evaluator = restarted();
            evaluator.recall(log.slice(Math.max(0, committed - 40), committed));
          }
        }
        const said = topic.map(
          ({ event, alert }) =>
            `${event.slice('alert.'.length)} ${alert.rule} ${alert.subject} ${alert.episode}`,
        );
        expect(said).toEqual(plainly(records));
        expect(new Set(topic.map(({ alert }) => alert.id)).size).toBe(topic.length);
      },
    ),
  );
});
