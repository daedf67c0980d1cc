/**
 * Tests laws on logs of a few records. test/laws/reconcile-laws.system.test.ts tests them on random histories of the
 * real decider.
 */
import { idOfChange } from '@mandate/audit';
import {
  type ControlRecord,
  type Decision,
  type DecisionsRecord,
  OPEN_CALLS,
  policyDocument,
  TOPICS,
  wireTime,
} from '@mandate/schemas';
import { buildDecision, buildReservation, buildSettlement } from '@mandate/testing';
import { describe, expect, test } from 'vitest';
import type { LawName } from './law.ts';
import { createLaws } from './laws.ts';

const START_MS = Date.UTC(2026, 2);

const begins = (id: string, generation: number): DecisionsRecord => ({
  event: 'ledger.epoch',
  epoch: { id, generation, previous: null, reason: 'test', at: wireTime(START_MS) },
});
/** Returns a decision on the request at offset `n`, with the sequence number `n`. */
const decided = (n: number, given: Partial<Decision> = {}): DecisionsRecord => ({
  event: 'action.decided',
  decision: buildDecision(n, { appendedAtMs: START_MS + n, ...given }),
});
const killed = (sequence: number, open: readonly number[], openCount = open.length): DecisionsRecord => ({
  event: 'agent.killed',
  kill: {
    ...{ id: 'k', by: 'op', reason: '', at: wireTime(START_MS) },
    target: { scope: 'agent', tenant: 'acme', agentId: 'bot' },
    revision: 1,
    ledgerEpoch: 'ep-1',
    ledgerSequences: { acme: sequence },
    openCount,
    open: open.map((n) => ({
      ...{ tenant: 'acme', agentId: 'bot', actionId: `act-${n}`, attempt: 1 },
      ...{ type: 'tool_call', tool: 'pay', digest: 'd', sequence: 1 },
      ...{ reservedMicros: 1, decidedAtMs: START_MS, leaseExpiresAtMs: START_MS + 1 },
    })),
  },
});

/** Checks the laws on a log with these partitions. */
function lawsOf(...partitions: (readonly DecisionsRecord[])[]) {
  const laws = createLaws({ tenants: ['acme'], partitions: partitions.length, isKept: () => true });
  for (const [partition, records] of partitions.entries()) {
    for (const [offset, record] of records.entries()) {
      const position = { topic: TOPICS.decisions, partition, offset };
      laws.takes(record, { position, appendedAtMs: START_MS });
    }
  }
  laws.end();
  const of = (name: LawName) => laws.report().find(({ law }) => law === name);
  return { laws, of };
}

describe('kill', () => {
  test('requires that the kill lists every ALLOW that is after the kill on the log', () => {
    const named = lawsOf([begins('ep-1', 1), killed(2, [1]), decided(1)]);
    expect(named.of('kill')).toMatchObject({ checked: 1, broken: 0, leftOut: 0 });
    const unnamed = lawsOf([begins('ep-1', 1), killed(2, []), decided(1)]);
    expect(unnamed.of('kill')).toMatchObject({
      broken: 1,
      breaches: [{ at: `${TOPICS.decisions}/0/2`, ids: { agent: 'bot', kill: 'k' } }],
    });
    expect(lawsOf([begins('ep-1', 1), killed(2, [], 900), decided(1)]).of('kill')).toMatchObject({
      broken: 0,
      leftOut: 1,
    });
  });

  test('a kill of a subtree stops the agents whose decisions name the killed agent as ancestor, and no other agents', () => {
    const pulled = killed(2, []);
    if (pulled.event !== 'agent.killed') throw new Error('a kill was expected');
    const subtree: DecisionsRecord = {
      ...pulled,
      kill: { ...pulled.kill, target: { scope: 'subtree', tenant: 'acme', agentId: 'lead' } },
    };
    const brokenBy = (given: Partial<Decision>) =>
      lawsOf([begins('ep-1', 1), subtree, decided(3, given)]).of('kill')?.broken;
    const below = { id: 'rules', hash: '', rules: [], policies: ['p@1', 'p@1 of mid', 'p@1 of lead'] };
    expect(brokenBy({ mandate: below })).toBe(1);
    expect(brokenBy({ agentId: 'lead' })).toBe(1);
    expect(brokenBy({ mandate: { ...below, policies: ['p@1', 'p@1 of mid'] } })).toBe(0);
  });

  test('an ALLOW that is before the kill on the log need not be listed by the kill', () => {
    expect(lawsOf([begins('ep-1', 1), decided(1), killed(2, [])]).of('kill')).toMatchObject({ broken: 0 });
  });

  test('reports an ALLOW with a higher sequence number than the kill, whichever partition is read first', () => {
    const kill = [begins('ep-1', 1), killed(2, [])];
    const allow = [begins('ep-1', 1), decided(3)];
    for (const log of [lawsOf(kill, allow), lawsOf(allow, kill)]) {
      expect(log.of('kill')).toMatchObject({ broken: 1 });
    }
  });
});

describe('epochs', () => {
  const overtaken = [begins('ep-1', 1), decided(1), begins('ep-2', 2), decided(2)];
  const row = { void: false, atMs: START_MS, logPartition: 0 };
  const idOf = (n: number) => buildDecision(n, { appendedAtMs: START_MS + n }).id;

  test('a void record counts nowhere, and the audit never returns it', async () => {
    const ask = (ids: readonly string[]) =>
      async function* (_tenant: string, table: string) {
        if (table === 'decisions') yield* ids.map((id, at) => ({ ...row, id, logOffset: at }));
      };
    const positions = new Map([[0, 3]]);
    const right = lawsOf(overtaken);
    await right.laws.checkRows(ask([idOf(1)]), positions, () => null);
    expect(right.of('void')).toMatchObject({ checked: 1, broken: 0 });
    expect(right.of('audit-rows')).toMatchObject({ checked: 1, broken: 0 });
    const wrong = lawsOf(overtaken);
    await wrong.laws.checkRows(ask([idOf(1), idOf(2)]), positions, () => null);
    expect(wrong.of('void')).toMatchObject({ broken: 1, breaches: [{ ids: { id: idOf(2) } }] });
  });

  test('a lost sequence number of a lost ledger delays no step after another epoch begins', () => {
    const ledgerEpoch = 'ep-2';
    // Sequence number 1 is lost, so decision 2 is not checked exactly. Decision 3 is the first of `ep-2`, so it is
    // checked again, and its total is wrong.
    const log = lawsOf(
      [begins('ep-1', 1), decided(2), begins('ep-2', 2), decided(3, { ledgerEpoch, cumulativeMicros: 5 })],
      [begins('ep-1', 1), begins('ep-2', 2), decided(4, { ledgerEpoch })],
    );
    expect(log.of('limits')).toMatchObject({
      broken: 1,
      breaches: [{ at: `${TOPICS.decisions}/0/3`, what: expect.stringContaining('spent 5 in all') }],
    });
  });
});

test('requires one audit row for each change of the control topic and none for a repeat, and leaves out later changes', async () => {
  const put = (id: string): ControlRecord => ({
    event: 'rule.removed',
    ruleId: 'r',
    change: { id, tenant: 'acme', by: 'ann', reason: '', at: wireTime(START_MS) },
  });
  const rowOf = (logOffset: number) => ({
    ...{ id: idOfChange(logOffset + 1), void: false, atMs: START_MS, logPartition: 0, logOffset },
  });
  const published = {
    event: 'policy.published' as const,
    policy: policyDocument.parse({ version: 1, id: 'p' }),
    change: put('c-1').change,
  };
  async function broken(...offsets: number[]) {
    const { laws, of } = lawsOf([begins('ep-1', 1)]);
    const other = { ...put('c-9'), change: { ...put('c-9').change, tenant: 'globex' } };
    // The last two records are a refused change and the first change again. The refused change names a rule that does
    // not exist, and is recorded.
    for (const [offset, record] of [published, other, put('c-2'), published].entries())
      laws.takesChange(record, { position: { topic: TOPICS.control, partition: 0, offset } });
    await laws.checkRows(
      async function* (_tenant, table) {
        if (table === 'changes') yield* offsets.map(rowOf);
      },
      new Map([[0, 0]]),
      () => null,
    );
    return [of('audit-rows'), of('void')].map((law) => law?.breaches.map(({ ids }) => ids.id));
  }
  expect(await broken(0, 2, 4)).toEqual([[], []]);
  expect(await broken(0)).toEqual([[idOfChange(3)], []]);
  expect(await broken(0, 2, 2)).toEqual([[idOfChange(3)], []]);
  expect(await broken(0, 1, 2)).toEqual([[idOfChange(2)], []]);
  expect(await broken(0, 2, 3)).toEqual([[], [idOfChange(4)]]);
});

test('an outcome of a lost decision settles the new decision about the same action', () => {
  const settlement = buildSettlement(1, {
    ...{ settledAtMs: START_MS + 2, actualCostMicros: 30, ledgerSequence: 2 },
    ...{ deltaMicros: -70, chargedMicros: 30, cumulativeMicros: 30 },
    source: { topic: TOPICS.actions, partition: 1, offset: 0 },
  });
  const ledgerEpoch = 'ep-2';
  const anew = decided(1, {
    ...{ ledgerEpoch, ledgerSequence: 3, chargedMicros: 100, cumulativeMicros: 100 },
    reservation: buildReservation(100),
  });
  const log = (spent: number) => [
    begins('ep-1', 1),
    { event: 'action.settled' as const, settlement },
    begins('ep-2', 2),
    anew,
    decided(4, { ledgerEpoch, cumulativeMicros: spent }),
    { event: 'action.settled' as const, settlement: { ...settlement, ...repeated } },
  ];
  const repeated = {
    ...{ id: 'again', kind: 'repeated' as const, deltaMicros: 0, ledgerEpoch, ledgerSequence: 5 },
    source: { ...settlement.source, offset: 1 },
  };
  for (const law of ['limits', 'outcomes'] as const)
    expect(lawsOf(log(30)).of(law)).toMatchObject({ broken: 0 });
  expect(lawsOf(log(100)).of('limits')).toMatchObject({ broken: 1 });
});

describe('the terms of a settlement', () => {
  const releases = { micros: 100, percent: 20 };
  const settling = {
    leastMicros: 40,
    ownLeastMicros: 60,
    mostMicros: 200,
    markMicros: null,
    releases,
    open: false,
  };
  const allowed = (n: number) =>
    decided(2 * n - 1, {
      ...{ actionId: `act-${n}`, chargedMicros: 100, cumulativeMicros: 0 },
      reservation: buildReservation(100, { settling }),
    });
  type Given = Partial<Parameters<typeof buildSettlement>[1]>;
  const settled = (n: number, chargedMicros: number, given: Given = {}) => ({
    event: 'action.settled' as const,
    settlement: buildSettlement(n, {
      ...{ settledAtMs: START_MS + 2 * n, actionId: `act-${n}`, ledgerSequence: 2 * n },
      ...{ chargedMicros, deltaMicros: chargedMicros - 100, cumulativeMicros: 0 },
      source: { topic: TOPICS.actions, partition: 1, offset: n },
      ...given,
    }),
  });
  const failure = { status: 'failure' } as const;
  const trusted = { reportedBy: { keyId: 'k', mayRelease: true } };
  const refused = { ...failure, marks: ['RELEASE_REFUSED' as const] };
  const gaveBack = settled(1, 0, { ...failure, releasedMicros: 100 });

  const brokenBy = (...settlements: ReturnType<typeof settled>[]) =>
    lawsOf([begins('ep-1', 1), ...settlements.flatMap((settlement, at) => [allowed(at + 1), settlement])]).of(
      'outcomes',
    )?.broken;

  test.each([
    ['a success that charges its minimum', settled(1, 60)],
    ['a success with the cost of a trusted reporter', settled(1, 40, trusted)],
    ['an excess', settled(1, 200, { actualCostMicros: 250, excessMicros: 50 })],
    ['a release within the limit', gaveBack],
    ['a release by a trusted reporter', settled(1, 0, { ...failure, ...trusted })],
    ['a release that is refused', settled(1, 100, refused)],
  ])('hold with %s', (_, settlement) => {
    expect(brokenBy(settlement)).toBe(0);
  });

  test.each([
    ['a success that charges less than its minimum', settled(1, 59)],
    ['a success below the price, even by a trusted reporter', settled(1, 39, trusted)],
    ['a charge above the cap', settled(1, 201, { actualCostMicros: 201 })],
    ['an excess above the actual cost', settled(1, 200, { actualCostMicros: 250, excessMicros: 51 })],
    ['a release that is not counted', settled(1, 0, failure)],
    ['a release that counts as another amount', settled(1, 50, { ...failure, releasedMicros: 51 })],
    [
      'a release by a trusted reporter that counts',
      settled(1, 0, { ...failure, ...trusted, releasedMicros: 100 }),
    ],
    ['a refused release that releases', settled(1, 99, { ...refused, releasedMicros: 1 })],
    ['a success that makes room without an earlier release', settled(1, 100, { releasedMicros: -20 })],
  ])('are broken by %s', (_, settlement) => {
    expect(brokenBy(settlement)).toBe(1);
  });

  test('release the slot of an open call', () => {
    const asked = (n: number, calls: number) =>
      decided(2 * n - 1, {
        ...{ actionId: `act-${n}`, chargedMicros: 100, cumulativeMicros: 100 * n },
        reservation: buildReservation(100, {
          settling: { ...settling, open: true },
          rates: [{ kind: 'rate', agentId: 'bot', tool: OPEN_CALLS, maxCalls: 2, windowMs: 300_000 }],
        }),
        checks: [
          {
            check: 'open-calls',
            result: 'pass' as const,
            evidence: { calls, maxCalls: 2, windowMs: 300_000, retryAfterMs: null },
          },
        ],
      });
    const done = settled(1, 100, { cumulativeMicros: 100 });
    const brokenLimits = (calls: number) =>
      lawsOf([begins('ep-1', 1), asked(1, 0), done, asked(2, calls)]).of('limits')?.broken;
    expect(brokenLimits(0)).toBe(0);
    expect(brokenLimits(1)).toBe(1);
  });

  test("count earlier releases by the agent's own reports, and the additional releases that successes allow", () => {
    const success = settled(2, 100, { releasedMicros: -20 });
    expect(brokenBy(gaveBack, settled(2, 100, refused))).toBe(0);
    expect(brokenBy(gaveBack, settled(2, 99, { ...failure, releasedMicros: 1 }))).toBe(1);
    expect(brokenBy(gaveBack, success, settled(3, 80, { ...failure, releasedMicros: 20 }))).toBe(0);
    expect(brokenBy(gaveBack, success, settled(3, 79, { ...failure, releasedMicros: 21 }))).toBe(1);
    expect(brokenBy(gaveBack, settled(2, 100))).toBe(1);
  });
});

test('a budget of scope `mandate` belongs to its policy, whichever mandate contains the policy', () => {
  const budget = { scope: 'mandate', id: 'shared', windowMs: null } as const;
  const listed = {
    ...budget,
    kind: 'budget',
    subject: 'refunds',
    maxMicros: 150,
    policy: 'refunds@1',
  } as const;
  const allowed = decided(1, {
    ...{ chargedMicros: 100, cumulativeMicros: 100 },
    mandate: { id: 'rules', hash: '', rules: ['r'], policies: ['refunds@1'] },
    reservation: buildReservation(100, { budgets: [listed] }),
  });
  const refused = (spentMicros: number) => {
    const evidence = { ...budget, spentMicros, costMicros: 100, maxMicros: 150, retryAfterMs: null };
    return decided(2, {
      ...{ verdict: 'BLOCK', code: 'COST_LIMIT_EXCEEDED', cumulativeMicros: 100 },
      mandate: { id: 'mnd_1', hash: '', rules: ['r'], policies: ['refunds@2'] },
      checks: [{ check: 'budget', result: 'block', policy: 'refunds@2', evidence }],
    });
  };
  expect(lawsOf([begins('ep-1', 1), allowed, refused(100)]).of('limits')).toMatchObject({ broken: 0 });
  expect(lawsOf([begins('ep-1', 1), allowed, refused(99)]).of('limits')).toMatchObject({ broken: 1 });
});

test('reports two steps with the same sequence number', () => {
  const twice = [begins('ep-1', 1), decided(1), decided(7, { ledgerSequence: 1 })];
  expect(lawsOf(twice).of('one-decision')).toMatchObject({ broken: 1 });
});

test('counts the calls that a question reserved in rates, until the ALLOW on its grant takes over these calls', () => {
  const rate = { kind: 'rate' as const, agentId: 'bot', tool: null, windowMs: 60_000, maxCalls: 1 };
  const charging = { type: 'SUCCESS_BASED' as const, estimateMicros: 0 };
  const evidence = (calls: number, grant: string): Decision['checks'] => [
    {
      check: 'mandate-rate',
      result: 'pass',
      evidence: { calls, maxCalls: 9, windowMs: 60_000, retryAfterMs: null },
    },
    { check: 'confirmation', result: 'pass', evidence: { grant, waiting: 0, maxWaiting: 50 } },
  ];
  const of = { actionId: 'asked', digest: 'of it' };
  const deferral = { rates: [rate] };
  const asked = decided(1, {
    ...{ ...of, verdict: 'DEFER', code: 'APPROVAL_REQUIRED', deferral, leaseExpiresAt: null },
    checks: evidence(0, 'none'),
  });
  const refused = (n: number, calls: number) =>
    decided(n, {
      ...of,
      attempt: n,
      verdict: 'BLOCK',
      code: 'COST_LIMIT_EXCEEDED',
      checks: evidence(calls, 'granted'),
    });
  const granted = (n: number) =>
    decided(n, {
      ...{ ...of, attempt: n, verdict: 'ALLOW', grantConsumed: true, checks: evidence(0, 'granted') },
      reservation: buildReservation(0, { charging, budgets: [], rates: [rate], leaseMs: 1_000 }),
    });
  const other = (n: number, calls: number) => decided(n, { checks: evidence(calls, 'none') });
  const log = (...seen: [number, number]) => [
    ...[begins('ep-1', 1), asked, other(2, seen[0]), refused(3, 0), granted(4), other(5, seen[1])],
  ];
  expect(lawsOf(log(1, 1)).of('limits')).toMatchObject({ checked: 5, broken: 0 });
  expect(lawsOf(log(0, 1)).of('limits')).toMatchObject({ broken: 1 });
  expect(lawsOf(log(1, 2)).of('limits')).toMatchObject({ broken: 1 });
});
