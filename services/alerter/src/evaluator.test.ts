/** Tests the alerts of all rules together. If a history is read again, the rules must give the same alerts. */
import type { DecisionsRecord } from '@mandate/schemas';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Alarms, type Raised } from './rules/alarms.ts';
import { DEFAULT_ALERTING, loadAlerting } from './rules/alert-rules.ts';
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
import { alertingOf, brief, evaluatorOn, raisedBy } from './rules/evaluated.fixture.ts';

test('records every alert when one agent asks many questions, but sends only a few of them', () => {
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
  expect(told.at(-1)?.alert.message).toContain('And 37 more before it');
});

test('records from before the alerts raise no other alert', () => {
  const begun = new Map([[0, 2]]);
  const history = [killed(1, { scope: 'all' }), decided(2, { checks: [sawBudget(9, 10)] })];
  const raised = evaluatorOn(new Alarms(), DEFAULT_ALERTING, begun).evaluate(
    history.map((record, at) => logged(record, at)),
  );
  expect(raised.filter(({ alert }) => !alert.quiet)).toEqual([]);
});

test('a decision of an outdated ledger epoch raises no alert, and neither does an unreadable record', () => {
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

/** A random event. A list of such events is a history that the rules read. */
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
 * Returns the alerts that a history must raise. They are computed in the simplest way: without ids and order, and the
 * rate of blocks is computed again for every decision.
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
      const { budget, spentMicros = 0 } = record.adjustment;
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
    const [{ evidence }] = checks as unknown as [{ evidence: { spentMicros: number } }];
    level(agentId, evidence.spentMicros);
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

test('any history, with redeliveries and restarts, raises exactly its alarms, each with one id', () => {
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
