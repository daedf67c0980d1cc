/**
 * Tests that every history of the real decider keeps the laws of reconcile. Also tests that the smallest change of
 * one record breaks the law about this record.
 */
import { createLaws, type LawName } from '@mandate/reconcile';
import {
  actionRequested,
  type Decision,
  type DecisionsRecord,
  readDecisionsRecord,
  TOPICS,
} from '@mandate/schemas';
import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { asking, deciderInABox } from '../decider-in-a-box.ts';
import { arbitraryMandate } from './arbitrary-requests.ts';
import { arbitraryHistory, type Happening, playHistory } from './decide-history.ts';
import { chainOf, type Register, registered } from './registered.ts';

// The timeout is long: each test runs many random cases, which takes seconds, and more on a busy machine.
vi.setConfig({ testTimeout: 120_000 });

const RUNS = 60;
const PARTITIONS = 3;
const TENANTS = ['default', 'acme'];

/** A record and its partition. `seen` is the number of the record among the records of all partitions. */
type Laid = { record: DecisionsRecord; partition: number; seen: number };
type AuditRow = { id: string; void: boolean; atMs: number; logPartition: number; logOffset: number };

async function played(mandate: object, history: readonly Happening[], register?: Register): Promise<Laid[]> {
  const box = deciderInABox([mandate]);
  const mandates = register && registered(register);
  if (mandates !== undefined) box.context.control = () => mandates;
  await playHistory(box, history);
  return box.published.map((text, seen) => {
    const record = readDecisionsRecord(new TextEncoder().encode(text));
    return { record, partition: partitionOf(record), seen };
  });
}

/** Returns the partition of a record. All records of an agent have the same partition. */
function partitionOf(record: DecisionsRecord): number {
  const agentOf = () => {
    if (record.event === 'action.decided') return record.decision.agentId;
    return record.event === 'action.settled' ? record.settlement.agentId : '';
  };
  return ['agent-1', 'agent-2'].indexOf(agentOf()) + 1;
}

/** Returns the laws that this log breaks. The partitions are read one after the other, each to its end. */
async function broken(
  log: readonly Laid[],
  alterRows: (rows: AuditRow[]) => AuditRow[] = (rows) => rows,
): Promise<LawName[]> {
  const laws = createLaws({ tenants: TENANTS, partitions: PARTITIONS, isKept: () => true });
  const ends = new Map<number, number>();
  const rows = new Map<string, AuditRow>();
  for (const { record, partition, seen } of log.toSorted((a, b) => a.partition - b.partition)) {
    const offset = (ends.get(partition) ?? -1) + 1;
    ends.set(partition, offset);
    const position = { topic: TOPICS.decisions, partition, offset };
    laws.takes(record, { position, appendedAtMs: seen * 10_000 });
    const row = { void: false, atMs: 0, logPartition: partition, logOffset: offset };
    if (record.event === 'action.decided') {
      const { tenant, id } = record.decision;
      rows.set(`${tenant} decisions ${id}`, { ...row, id });
    } else if (record.event === 'action.settled') {
      const { tenant, id } = record.settlement;
      rows.set(`${tenant} settlements ${id}`, { ...row, id });
    }
  }
  laws.end();
  const ask = async function* (tenant: string, table: string) {
    const of = [...rows].filter(([name]) => name.startsWith(`${tenant} ${table} `));
    yield* alterRows(of.map(([, row]) => row));
  };
  await laws.checkRows(ask, ends, () => null);
  return laws.report().flatMap(({ law, broken }) => (broken > 0 ? [law] : []));
}

/**
 * Mandates that allow much, for histories in which most actions have an outcome. In other histories, few actions are
 * allowed and few have an outcome.
 */
const generous = fc.constantFrom<object>(
  { defaultChargingPolicy: { type: 'ATTEMPT_BASED' }, toolPolicies: { get_user: { executionLeaseMs: 100 } } },
  {
    maxCostTotal: 1,
    budgets: [
      { id: 'a', scope: 'agent', max: 0.6, windowMs: 500 },
      { id: 'b', scope: 'tenant', max: 2 },
      { id: 'b', scope: 'mandate', max: 2, windowMs: 3_000 },
    ],
    rateLimit: { maxCalls: 3, windowMs: 500 },
    toolPolicies: { get_user: { cost: 0.1, rateLimit: { maxCalls: 2, windowMs: 10 } } },
  },
);
const agentId = fc.constantFrom('agent-1', 'agent-2');
const target = fc.constantFrom<Extract<Happening, { did: 'kill' }>['target']>(
  { scope: 'agent', tenant: 'default', agentId: 'agent-1' },
  { scope: 'tenant', tenant: 'default' },
);
/**
 * The steps of a history in which most actions have an outcome. `back` says which action is reported: 0 is the last
 * one that was requested.
 */
const busy = fc.oneof(
  { weight: 8, arbitrary: fc.record({ did: fc.constant('ask' as const), agentId, lost: fc.boolean() }) },
  {
    weight: 6,
    arbitrary: fc.record({
      did: fc.constant('report' as const),
      back: fc.nat(3),
      actualCostMicros: fc.constantFrom(0, 100_000, 300_000),
      lost: fc.boolean(),
    }),
  },
  { weight: 3, arbitrary: fc.record({ did: fc.constant('wait' as const), ms: fc.constantFrom(1, 9, 500) }) },
  { weight: 1, arbitrary: fc.record({ did: fc.constant('kill' as const), target }) },
  { weight: 1, arbitrary: fc.record({ did: fc.constant('revive' as const), target }) },
);
const busyHistory = fc.array(busy, { minLength: 10, maxLength: 40, size: 'max' }).map((list): Happening[] => {
  const asked: { id: string; agentId: string }[] = [];
  return list.flatMap((one): Happening[] => {
    if (one.did === 'ask') {
      const { agentId, lost } = one;
      asked.push({ id: `act-${asked.length}`, agentId });
      const action = { id: `act-${asked.length - 1}`, agentId, estimatedCostMicros: 100_000 };
      return [{ did: 'ask', ask: actionRequested.parse(asking(action)), agoMs: 0, lost }];
    }
    if (one.did !== 'report') return [one];
    const { back, actualCostMicros, lost } = one;
    const of = asked.at(-1 - back);
    if (of === undefined) return [];
    const report = { actionId: of.id, agentId: of.agentId, status: 'success', actualCostMicros };
    return [{ did: 'report', report, lost } as Happening];
  });
});

const logOf =
  ([mandate, history]: [object, Happening[]]) =>
  () =>
    played(mandate, history);
const busyLog = fc.tuple(generous, busyHistory).map(logOf);
const subtreeLog = fc.tuple(generous, generous, busyHistory).map(([ofParent, ofAll, history]) => () => {
  const register = {
    agents: chainOf(['agent-1', 'agent-2']),
    policies: [
      { ...ofParent, id: 'of-parent' },
      { ...ofAll, id: 'of-all' },
    ],
    rules: [
      { id: 'of-parent', policy: 'of-parent', agents: ['agent-1'] },
      { id: 'of-all', policy: 'of-all' },
    ],
  };
  return played({}, history, register);
});
const anyLog = fc.oneof(fc.tuple(arbitraryMandate, arbitraryHistory).map(logOf), busyLog, subtreeLog);

test('every history satisfies every law', async () => {
  await fc.assert(
    fc.asyncProperty(anyLog, async (play) => {
      expect(await broken(await play())).toEqual([]);
    }),
    { numRuns: RUNS },
  );
});

/**
 * Changes one of the records for which `which` is true, and returns the changed log. Returns null if there is no such
 * record.
 */
type Change = (log: readonly Laid[], pick: number) => Laid[] | null;

function changing(
  which: (record: DecisionsRecord, log: readonly Laid[], at: number) => boolean,
  change: (record: DecisionsRecord) => DecisionsRecord[],
): Change {
  return (log, pick) => {
    const places = log.flatMap(({ record }, at) => (which(record, log, at) ? [at] : []));
    const place = places[pick % places.length];
    if (place === undefined) return null;
    return log.flatMap((laid, at) =>
      at === place ? change(laid.record).map((record) => ({ ...laid, record })) : [laid],
    );
  };
}

/** Returns a change of a decision. If `kept`, the log has the original decision before the changed one. */
function decisions(
  which: (decision: Decision) => boolean,
  change: (decision: Decision) => Partial<Decision>,
  kept = false,
): Change {
  return changing(
    (record) => record.event === 'action.decided' && which(record.decision),
    (record) => {
      if (record.event !== 'action.decided') return [record];
      const altered = { ...record, decision: { ...record.decision, ...change(record.decision) } };
      return kept ? [record, altered] : [altered];
    },
  );
}

const isAllow = ({ kind, verdict }: Decision) => kind === 'first' && verdict === 'ALLOW';
const elsewhere = ({ source, id }: Decision) => ({
  id: `${id}x`,
  source: { ...source, offset: 90_000_000 + source.offset },
});

const sawOf = (decision: Decision, name: string) =>
  decision.checks.find(({ check, evidence }) => check.endsWith(name) && evidence !== undefined)?.evidence as
    | Record<string, number>
    | undefined;
const seeing = (decision: Decision, name: string, alter: (evidence: Record<string, number>) => object) => ({
  checks: decision.checks.map((check) =>
    check.evidence === sawOf(decision, name)
      ? { ...check, evidence: { ...(check.evidence as object), ...alter(check.evidence as never) } }
      : check,
  ),
});

const CHANGES: readonly [what: string, law: LawName, change: Change][] = [
  ['a delivery answered twice', 'one-decision', decisions(isAllow, () => ({ reason: 'another' }), true)],
  ['an action decided twice', 'one-decision', decisions(isAllow, elsewhere, true)],
  [
    'an action decided twice, in separate steps',
    'one-decision',
    decisions(isAllow, (one) => ({ ...elsewhere(one), ledgerSequence: one.ledgerSequence + 10_000 }), true),
  ],
  [
    'a charge that differs',
    'limits',
    decisions(isAllow, (one) => ({ chargedMicros: one.chargedMicros + 1 })),
  ],
  [
    'a budget with another amount',
    'limits',
    decisions(
      (one) => isAllow(one) && sawOf(one, 'budget') !== undefined,
      (one) => seeing(one, 'budget', ({ spentMicros = 0 }) => ({ spentMicros: spentMicros + 1 })),
    ),
  ],
  [
    'a rate with another count',
    'limits',
    decisions(
      (one) => sawOf(one, '-rate') !== undefined,
      (one) => seeing(one, '-rate', ({ calls = 0 }) => ({ calls: calls + 1 })),
    ),
  ],
  [
    'an ALLOW over its budget',
    'limits',
    decisions(
      (one) =>
        isAllow(one) && one.observed === null && one.chargedMicros > 0 && sawOf(one, 'budget') !== undefined,
      (one) =>
        seeing(one, 'budget', ({ spentMicros = 0, costMicros = 0 }) => ({
          maxMicros: spentMicros + costMicros - 1,
        })),
    ),
  ],
  [
    'an ALLOW over its rate',
    'limits',
    decisions(
      (one) => isAllow(one) && one.observed === null && sawOf(one, '-rate') !== undefined,
      (one) => seeing(one, '-rate', ({ calls = 0 }) => ({ maxCalls: calls })),
    ),
  ],
  [
    'a settled outcome recorded as repeated',
    'outcomes',
    changing(
      (record) => record.event === 'action.settled' && record.settlement.kind === 'settled',
      (record) =>
        record.event === 'action.settled'
          ? [{ ...record, settlement: { ...record.settlement, kind: 'repeated', deltaMicros: 0 } }]
          : [record],
    ),
  ],
  [
    'a missing revive',
    'kill',
    changing(
      ({ event }, log, at) => event === 'agent.revived' && isNeeded(log, at),
      () => [],
    ),
  ],
];

/**
 * True if the revive ends a kill, and an agent of the target gets an ALLOW before the next kill or revive of this
 * target. If such a revive were missing, the log would break a law.
 */
function isNeeded(log: readonly Laid[], at: number): boolean {
  const record = log[at]?.record;
  if (record?.event !== 'agent.revived') return false;
  const { target, revision } = record.revive;
  const isOfTarget = (one: { tenant: string; agentId: string }) =>
    target.scope === 'all' ||
    (target.tenant === one.tenant && (target.scope === 'tenant' || target.agentId === one.agentId));
  const same = (other: typeof target) => JSON.stringify(other) === JSON.stringify(target);
  const killedAt = log.findIndex(
    ({ record: other }) =>
      other.event === 'agent.killed' && same(other.kill.target) && other.kill.revision === revision - 1,
  );
  if (killedAt === -1 || killedAt > at) return false;
  const kill = log[killedAt]?.record;
  const behind = log.slice(at + 1).map(({ record: other }) => other);
  const end = behind.findIndex(
    (other) =>
      (other.event === 'agent.killed' && same(other.kill.target)) ||
      (other.event === 'agent.revived' && same(other.revive.target)),
  );
  return (end === -1 ? behind : behind.slice(0, end)).some(
    (other) =>
      other.event === 'action.decided' &&
      isAllow(other.decision) &&
      isOfTarget(other.decision) &&
      kill?.event === 'agent.killed' &&
      other.decision.ledgerSequence > (kill.kill.ledgerSequences[other.decision.tenant] ?? Number.NaN),
  );
}

describe('the smallest change of a record breaks the law about the record', () => {
  test.each(CHANGES)('%s: %s', async (_what, law, change) => {
    let changed = 0;
    await fc.assert(
      fc.asyncProperty(busyLog, fc.nat(), async (play, pick) => {
        const altered = change(await play(), pick);
        if (altered === null) return;
        changed++;
        expect(await broken(altered)).toContain(law);
      }),
      { numRuns: RUNS },
    );
    expect(changed).toBeGreaterThan(0);
  });

  test('a row of the audit that is missing, doubled, invented or void breaks a law', async () => {
    let changed = 0;
    await fc.assert(
      fc.asyncProperty(busyLog, fc.nat(), async (play, pick) => {
        const log = await play();
        const first = (rows: AuditRow[]) => rows[pick % rows.length];
        const without = (rows: AuditRow[]) => rows.filter((row) => row !== first(rows));
        const twice = (rows: AuditRow[]) => rows.flatMap((row) => (row === first(rows) ? [row, row] : [row]));
        const other = (rows: AuditRow[]) =>
          rows.map((row) => (row === first(rows) ? { ...row, id: 'dec_x' } : row));
        const hidden = (rows: AuditRow[]) =>
          rows.map((row) => (row === first(rows) ? { ...row, void: true } : row));
        if (!log.some(({ record }) => record.event === 'action.decided')) return;
        changed++;
        for (const alter of [without, twice, other, hidden]) {
          expect(await broken(log, alter)).toEqual(['audit-rows']);
        }
      }),
      { numRuns: RUNS },
    );
    expect(changed).toBeGreaterThan(0);
  });
});
