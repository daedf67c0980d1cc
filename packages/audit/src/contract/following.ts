/**
 * Tests following a table while the recorder adds rows. A listener gets each row once, in the order of the log, even
 * if its connection is cut. Batches and times of recording do not matter.
 */

import { type Decision, type KillTarget, TOPICS, wireTime } from '@mandate/schemas';
import { byLength } from '@mandate/testing';
import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import {
  decisionOf,
  onLog,
  recordedDecision,
  recordedSettlement,
  settlementOf,
} from '../arbitrary-history.ts';
import {
  type AskAudit,
  type AuditClient,
  ask,
  type ControlEvent,
  controlEventFeed,
  decisionFeed,
  type Feed,
  type FeedPosition,
  positionNow,
  positionSince,
  type Recorded,
  recordControlEvents,
  recordDecisions,
  recordedChange,
  recordSettlements,
  rowsAfter,
  searchControlEvents,
  settlementFeed,
} from '../index.ts';
import { ARRIVES_WITHIN_MS } from '../live/follow.ts';
import { decisionTail, TAIL_ROWS_A_PARTITION } from '../queries/tail-source.ts';
import { type MakeAudit, withTables } from './audit-under-test.ts';

const PARTITIONS = 3;
const START_MS = Date.UTC(2026, 0, 30);
const NOW_MS = START_MS + 60_000;

/** A random record of a partition: the number of its id, and whether the record is void. An id may repeat. */
const record = fc.record({
  name: fc.nat(9),
  isVoid: fc.boolean(),
  verdict: fc.constantFrom('ALLOW', 'BLOCK'),
});
type Laid = typeof record extends fc.Arbitrary<infer T> ? T : never;

const partition = fc.nat(PARTITIONS - 1);
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('land'), partition, count: fc.nat(9) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('land again'), partition, back: fc.nat(9) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('look'), cutAfter: fc.option(fc.nat(5)) }) },
  { weight: 1, arbitrary: fc.constant({ do: 'begin' } as const) },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/**
 * A random event of a partition: a kill or an epoch. A kill is in one partition only. An epoch may be in several
 * partitions.
 */
const happening = fc.record({
  what: fc.constantFrom('epoch', 'all', 'tenant', 'a-1', 'a-2', 'another tenant'),
  name: fc.nat(3),
  isVoid: fc.boolean(),
});
type Happening = typeof happening extends fc.Arbitrary<infer T> ? T : never;

export function following(make: MakeAudit): void {
  let audit: AuditClient;
  const asking: AskAudit = (question, given) => ask(audit, question, given);
  beforeAll(async () => {
    const tables = await withTables(make);
    ({ audit } = tables);
    return tables.end;
  });

  function at(
    logPartition: number,
    logOffset: number,
    decision: Decision,
    isVoid = false,
  ): Recorded<Decision> {
    const recorded = recordedDecision(decision, logOffset, isVoid);
    return { ...recorded, position: { ...recorded.position, partition: logPartition } };
  }

  /**
   * Returns the rows that a connection receives until it is cut, and the position after these rows. Without a cut,
   * returns all rows.
   */
  async function received<Row extends { id: string; logPartition: number; logOffset: number }>(
    feed: Feed<Row>,
    from: FeedPosition,
    { cutAfter = null, nowMs = NOW_MS }: { cutAfter?: number | null; nowMs?: number } = {},
  ): Promise<{ rows: Row[]; position: FeedPosition }> {
    const rows: Row[] = [];
    let position = from;
    for (;;) {
      const look = rowsAfter(asking, feed, position, nowMs);
      for (;;) {
        const next = await look.next();
        if (next.done) {
          ({ position } = next.value);
          if (next.value.isAll) return { rows, position };
          break;
        }
        rows.push(next.value.row);
        ({ position } = next.value);
        if (rows.length === cutAfter) return { rows, position };
      }
    }
  }

  const positions = (rows: readonly { id: string; logPartition: number; logOffset: number }[]) =>
    rows.map(({ id, logPartition, logOffset }) => `${logPartition}/${logOffset} ${id}`);

  let runs = 0;

  test('returns each valid row once and in order, even if rows arrive late or the connection is cut', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(record, { maxLength: 25 }), { minLength: PARTITIONS, maxLength: PARTITIONS }),
        fc.array(step, { maxLength: 14 }),
        async (log, steps) => {
          runs += 1;
          const tenant = `follow-${runs}`;
          const laid = log.map((records, of) =>
            records.map((one, offset) => recordedAt(tenant, of, offset, one)),
          );
          const feed = decisionFeed({ tenant, verdict: ['ALLOW'] });
          const land = (records: Recorded<Decision>[]) => recordDecisions(audit, records);
          for (const { from, rows } of await listened(feed, laid, land, steps)) {
            const expected = laid.map((records, of) =>
              standing(records).filter((one) => one.offset >= (from[of] ?? 0)),
            );
            for (const [of, stands] of expected.entries()) {
              expect(positions(rows).filter((row) => row.startsWith(`${of}/`))).toEqual(
                stands.map(({ offset, id }) => `${of}/${offset} ${id}`),
              );
            }
          }
        },
      ),
      { numRuns: byLength({ short: 5, full: 15 }) },
    );
  });

  /**
   * Records the log in the given steps, then the rest of the log. Returns the rows that each listener received, and
   * the offset of each partition where the listener began.
   */
  async function listened<Row extends { id: string; logPartition: number; logOffset: number }, Record>(
    feed: Feed<Row>,
    laid: readonly Record[][],
    landSome: (records: Record[]) => Promise<unknown>,
    steps: readonly Step[],
  ): Promise<{ from: number[]; rows: Row[] }[]> {
    const arrived = laid.map(() => 0);
    const listeners = [{ position: positionSince(START_MS), from: laid.map(() => 0), rows: [] as Row[] }];
    const land = async (of: number, start: number, end: number) => {
      await landSome((laid[of] ?? []).slice(start, end));
      arrived[of] = Math.max(arrived[of] ?? 0, Math.min(end, laid[of]?.length ?? 0));
    };
    const lookAll = async (cutAfter: number | null) => {
      for (const listener of listeners) {
        // After a cut connection, a listener continues from the token of the last row. If there was no row, it starts
        // again where it began.
        const { rows, position } = await received(feed, listener.position, { cutAfter });
        listener.rows.push(...rows);
        listener.position = position;
      }
    };
    for (const one of steps) {
      if (one.do === 'begin') {
        listeners.push({ position: await positionNow(asking, feed, NOW_MS), from: [...arrived], rows: [] });
      } else if (one.do === 'look') {
        await lookAll(one.cutAfter);
      } else {
        const end = arrived[one.partition] ?? 0;
        if (one.do === 'land') await land(one.partition, end, end + one.count);
        else await land(one.partition, Math.max(0, end - one.back), end);
      }
    }
    await Promise.all(laid.map(({ length }, of) => land(of, arrived[of] ?? 0, length)));
    await lookAll(null);
    return listeners;
  }

  test('returns each control event once, even if several partitions contain it, and misses no event', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(happening, { maxLength: 12 }), { minLength: PARTITIONS, maxLength: PARTITIONS }),
        fc.array(step, { maxLength: 14 }),
        fc.boolean(),
        async (log, steps, isNarrowed) => {
          // Some rows belong to no tenant, so each run needs empty tables.
          await audit.command('TRUNCATE TABLE control_events');
          const laid = log.map((records, of) => records.map((one, offset) => happenedAt(of, offset, one)));
          const feed = controlEventFeed({ tenant: 'ours', ...(isNarrowed && { agentId: ['a-1'] }) });
          const land = (records: Recorded<ControlEvent>[]) => recordControlEvents(audit, records);
          const listeners = await listened(feed, laid, land, steps);
          const inTable = await ask(audit, searchControlEvents, { tenant: 'ours', limit: 1_000 });
          for (const [index, { from, rows }] of listeners.entries()) {
            /**
             * For each id: true if, in every partition that contains the id, its first record that is not void came
             * after the listener began.
             */
            const wanted = new Map<string, boolean>();
            for (const [of, records] of laid.entries()) {
              for (const { record, position } of firstOf(records, idOf)) {
                const isBefore = position.offset < (from[of] ?? 0);
                wanted.set(idOf(record), wanted.get(idOf(record)) !== false && !isBefore);
              }
            }
            const concerns = ({ id, agentId }: (typeof inTable)[number]) =>
              wanted.get(id) === true && !(isNarrowed && agentId === 'a-2');
            expect(rows.map(({ id }) => id).sort()).toEqual(
              inTable
                .filter(concerns)
                .map(({ id }) => id)
                .sort(),
            );
            if (index === 0 && !isNarrowed) expect(rows).toHaveLength(inTable.length);
            for (const of of log.keys()) {
              const offsets = rows.flatMap((row) => (row.logPartition === of ? row.logOffset : []));
              expect(offsets).toEqual(offsets.toSorted((one, other) => one - other));
            }
          }
        },
      ),
      { numRuns: byLength({ short: 5, full: 15 }) },
    );
  });

  function happenedAt(of: number, offset: number, { what, name, isVoid }: Happening): Recorded<ControlEvent> {
    const done = { by: 'ops', reason: 'r', at: wireTime(START_MS + name) };
    const record: ControlEvent =
      what === 'epoch'
        ? { event: 'ledger.epoch', epoch: { id: `epoch-${name}`, previous: null, reason: 'r', at: done.at } }
        : {
            event: 'agent.killed',
            kill: {
              ...done,
              id: `kill-${of}-${what.replace(' ', '-')}-${name}`,
              target: targetOf(what),
              revision: 1,
              ledgerEpoch: 'e',
              ledgerSequences: {},
              openCount: 0,
              open: [],
            },
          };
    const recorded = onLog(record, offset, isVoid);
    return { record, ...recorded, position: { ...recorded.position, partition: of } };
  }

  function idOf(record: ControlEvent): string {
    if (record.event === 'ledger.epoch') return record.epoch.id;
    return record.event === 'agent.killed' ? record.kill.id : '';
  }

  function targetOf(what: Exclude<Happening['what'], 'epoch'>): KillTarget {
    if (what === 'all') return { scope: 'all' };
    if (what === 'tenant') return { scope: 'tenant', tenant: 'ours' };
    if (what === 'another tenant') return { scope: 'tenant', tenant: 'theirs' };
    return { scope: 'agent', tenant: 'ours', agentId: what };
  }

  function recordedAt(tenant: string, of: number, offset: number, { name, isVoid, verdict }: Laid) {
    const decision = decisionOf(tenant, 100 * of + name);
    const ruling =
      verdict === 'ALLOW' ? { verdict: 'ALLOW', code: 'ALLOWED' } : { verdict: 'BLOCK', code: 'TOOL_DENIED' };
    // All records with the same id have the same content, because an id belongs to one decision.
    return at(of, offset, { ...decision, ...(name % 2 === 0 ? ruling : {}) } as Decision, isVoid);
  }

  /** Returns the first record of each id that is not void, but only if its verdict is ALLOW. */
  function standing(records: readonly Recorded<Decision>[]) {
    return firstOf(records, ({ id }) => id)
      .filter(({ record }) => record.verdict === 'ALLOW')
      .map(({ record: { id }, position: { offset } }) => ({ id, offset }));
  }

  /** For each id, returns the first record that is not void. */
  function firstOf<R>(records: readonly Recorded<R>[], idOf: (record: R) => string): Recorded<R>[] {
    const first = new Map<string, Recorded<R>>();
    for (const one of records) {
      const id = idOf(one.record);
      if (!one.void && !first.has(id)) first.set(id, one);
    }
    return [...first.values()];
  }

  test('returns rows in several answers if there are too many for one answer, and loses none of them', async () => {
    const count = 2 * TAIL_ROWS_A_PARTITION + 1;
    const batch = Array.from({ length: count }, (_, offset) => at(0, offset, decisionOf('much', offset)));
    await recordDecisions(audit, batch);
    const feed = decisionFeed({ tenant: 'much' });
    const { rows, position } = await received(feed, positionSince(START_MS));
    expect(rows.map(({ logOffset }) => logOffset)).toEqual(batch.map((_, offset) => offset));
    expect(position.lookedAtMs).toBe(NOW_MS);
    expect((await received(feed, position)).rows).toEqual([]);
  });

  test('returns rows of several partitions roughly in the order of time', async () => {
    const times = [
      [5, 1, 9],
      [2, 7, 8],
    ];
    await recordDecisions(
      audit,
      times.flatMap((of, logPartition) =>
        of.map((appendedAtMs, offset) =>
          at(
            logPartition,
            offset,
            decisionOf('merged', 10 * logPartition + offset, { appendedAtMs: START_MS + appendedAtMs }),
          ),
        ),
      ),
    );
    const { rows } = await received(decisionFeed({ tenant: 'merged' }), positionSince(START_MS));
    expect(rows.map(({ logPartition, logOffset }) => `${logPartition}/${logOffset}`)).toEqual([
      '1/0',
      '0/0',
      '0/1',
      '1/1',
      '1/2',
      '0/2',
    ]);
  });

  test('follows settlements in the same way as decisions', async () => {
    const settled = (offset: number, isVoid = false) =>
      recordedSettlement(settlementOf(decisionOf('settled', offset)), offset, isVoid);
    await recordSettlements(audit, [settled(0)]);
    const feed = settlementFeed({ tenant: 'settled' });
    const now = await positionNow(asking, feed, NOW_MS);
    await recordSettlements(audit, [settled(0), settled(3, true), settled(4)]);
    expect((await received(feed, now)).rows.map(({ logOffset }) => logOffset)).toEqual([4]);
    expect((await received(feed, positionSince(START_MS))).rows.map(({ logOffset }) => logOffset)).toEqual([
      0, 4,
    ]);
  });

  test('filters control events by event, agent and action, and keeps events that name no agent', async () => {
    await audit.command('TRUNCATE TABLE control_events');
    const done = { by: 'ops', reason: 'r', at: wireTime(START_MS) };
    const approved = (actionId: string): ControlEvent => ({
      event: 'approval.recorded',
      approval: {
        ...done,
        id: `app-${actionId}`,
        tenant: 'ours',
        agentId: 'a-2',
        actionId,
        digest: 'd',
        answer: 'granted',
        expiresAt: done.at,
        ledgerEpoch: 'e',
        ledgerSequence: 1,
      },
    });
    const kills = (['all', 'tenant', 'a-1', 'a-2', 'another tenant', 'epoch'] as const).map((what, offset) =>
      happenedAt(0, offset, { what, name: 0, isVoid: false }),
    );
    const approvals = [approved('act-1'), approved('act-2')].map((record, n) => ({
      record,
      ...onLog(record, 10 + n),
    }));
    await recordControlEvents(audit, [...kills, ...approvals]);
    const toldOf = async (filter: Omit<Parameters<typeof controlEventFeed>[0], 'tenant'>) => {
      const { rows } = await received(
        controlEventFeed({ tenant: 'ours', ...filter }),
        positionSince(START_MS),
      );
      return rows.map(({ id }) => id.replace(/^kill-0-|-0$/g, ''));
    };
    const everybodys = ['all', 'tenant'];
    expect(await toldOf({})).toEqual([...everybodys, 'a-1', 'a-2', 'epoch', 'app-act-1', 'app-act-2']);
    expect(await toldOf({ agentId: ['a-1'] })).toEqual([...everybodys, 'a-1', 'epoch']);
    expect(await toldOf({ actionId: ['act-2'] })).toEqual([
      ...everybodys,
      'a-1',
      'a-2',
      'epoch',
      'app-act-2',
    ]);
    expect(await toldOf({ event: ['ledger.epoch', 'approval.recorded'], agentId: ['a-1', 'a-2'] })).toEqual([
      'epoch',
      'app-act-1',
      'app-act-2',
    ]);
  });

  test('includes changes of the control topic, although decision partitions have the same partition numbers and offsets', async () => {
    await audit.command('TRUNCATE TABLE control_events');
    const change = { id: 'c', tenant: 'ours', by: 'ops', reason: 'r', at: wireTime(START_MS) };
    const changed = (offset: number) =>
      recordedChange(
        { event: 'rule.removed', ruleId: 'r', change },
        { revision: offset + 1, refusal: null, isRepeat: false, policyVersion: 0, policiesMade: [] },
        { ...onLog(null, offset), position: { topic: TOPICS.control, partition: 0, offset } },
      );
    const killed = (offset: number) => happenedAt(0, offset, { what: 'tenant', name: offset, isVoid: false });
    const feed = controlEventFeed({ tenant: 'ours' });
    await recordControlEvents(audit, [killed(7), changed(0)]);
    const begun = await positionNow(asking, feed, NOW_MS);
    await recordControlEvents(audit, [changed(1), killed(8), changed(2)]);
    const { rows, position } = await received(feed, begun);
    expect(rows.map(({ event, logOffset }) => `${event} ${logOffset}`).sort()).toEqual([
      'agent.killed 8',
      'rule.removed 1',
      'rule.removed 2',
    ]);
    expect((await received(feed, position)).rows).toEqual([]);
    expect((await received(feed, positionSince(START_MS))).rows).toHaveLength(5);
  });

  test('returns nothing of another tenant', async () => {
    await recordDecisions(audit, [at(0, 0, decisionOf('mine-alone', 1))]);
    expect((await received(decisionFeed({ tenant: 'yours' }), positionSince(START_MS))).rows).toEqual([]);
  });

  describe('rows that were recorded long ago', () => {
    test('are not read if they were recorded more than ARRIVES_WITHIN_MS ago', async () => {
      const feed = decisionFeed({ tenant: 'late' });
      const recordedAt = (offset: number, recordedAtMs: number) => ({
        ...at(0, offset, decisionOf('late', offset)),
        recordedAtMs,
      });
      const { position } = await received(feed, positionSince(START_MS));
      await recordDecisions(audit, [recordedAt(1, NOW_MS - ARRIVES_WITHIN_MS - 1)]);
      await recordDecisions(audit, [recordedAt(2, NOW_MS - ARRIVES_WITHIN_MS)]);
      expect((await received(feed, position)).rows.map(({ logOffset }) => logOffset)).toEqual([2]);
    });

    test('are skipped with the help of the index', async () => {
      const asked = decisionTail.after.params.parse({
        tenant: 'late',
        sinceMs: 0,
        recordedFromMs: NOW_MS,
        partitions: [0],
        through: [7],
      });
      const explained = await audit.query(
        `EXPLAIN indexes = 1 ${decisionTail.after.sql(asked)}`,
        { ...asked },
        z.object({ explain: z.string() }),
      );
      expect(explained.map(({ explain }) => explain.trim())).toContain('Name: recorded_range');
    });
  });

  test('reads months in the order of the log, so that no row arrives before an older row', async () => {
    await audit.command('SYSTEM STOP MERGES decisions');
    const months = [1, 0, 1, 2, 2, 1];
    await recordDecisions(
      audit,
      months.map((month, offset) =>
        at(0, offset, decisionOf('months', offset, { appendedAtMs: Date.UTC(2031, month) })),
      ),
    );
    const parts = await audit.query(
      `SELECT arraySort(groupArray(log_offset)) AS offsets FROM decisions WHERE tenant = 'months'
       GROUP BY _part ORDER BY toUInt64(splitByChar('_', _part)[2])`,
      {},
      z.object({ offsets: z.array(z.int()) }),
    );
    await audit.command('SYSTEM START MERGES decisions');
    expect(parts.map(({ offsets }) => offsets)).toEqual([[0], [1], [2], [3, 4], [5]]);
  });
}
