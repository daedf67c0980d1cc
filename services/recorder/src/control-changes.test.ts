import { join } from 'node:path';
import { createSqliteBus, type LogRecord } from '@mandate/bus';
import { foldControl } from '@mandate/control';
import { silentLogger } from '@mandate/runtime';
import { type ControlRecord, controlRecord, TOPICS } from '@mandate/schemas';
import { temporaryFolder } from '@mandate/testing';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { controlChanges } from './control-changes.ts';

const AT = '2026-03-01T12:00:00.000Z';
const HASH = 'f00d'.repeat(16);
const KEY = { id: 'kkkkkkkkkkk1', name: 'n', tenant: 'acme', scopes: ['publish'], agents: ['a'], hash: HASH };

const drawn = fc.oneof(
  fc.record({
    event: fc.constant('policy.published'),
    policy: fc.record({ version: fc.constant(1), id: fc.constantFrom('p', 'q'), maxCostTotal: fc.nat(2) }),
  }),
  fc.constant({ event: 'policy.archived', policyId: 'p', forced: true }),
  fc.constant({ event: 'agent.put', agent: { id: 'a' } }),
  fc.constant({ event: 'key.issued', agentId: 'a', key: { ...KEY, createdAt: AT, revokedAt: null } }),
);
const change = fc
  .tuple(
    drawn,
    fc.nat(40),
    fc.option(fc.nat(20), { nil: undefined, freq: 1 }),
    // True if the log has the record twice, one directly after the other or later.
    fc.boolean(),
  )
  .map(([what, id, expects, isAgain]) => {
    const who = { id: `c-${id}`, tenant: 'acme', by: 'ann', reason: '', at: AT };
    const made = { ...who, ...(expects !== undefined && { expects }) };
    return { record: controlRecord.parse({ ...what, change: made }), isAgain };
  });
const written = fc
  .array(change, { minLength: 1, maxLength: 20, size: 'max' })
  .map((changes) => [
    ...changes.flatMap(({ record, isAgain }, at) => (isAgain && at % 2 === 0 ? [record, record] : [record])),
    ...changes.flatMap(({ record, isAgain }, at) => (isAgain && at % 2 === 1 ? [record] : [])),
  ]);
/** The size of a batch, and what happens after the batch. */
const delivery = fc.record({
  size: fc.integer({ min: 1, max: 7 }),
  behind: fc.constantFrom('goes on', 'tries again', 'has it delivered again', 'is taken over'),
});

async function logOf(values: readonly string[], partition = 0) {
  const path = join(temporaryFolder(), 'log.sqlite');
  const bus = await createSqliteBus({ path, log: silentLogger(), partitions: 2 });
  onTestFinished(() => bus.close());
  await bus.append(
    TOPICS.control,
    values.map((value) => ({ key: null, partition, value })),
  );
  const records: LogRecord[] = [];
  const reader = await bus.read({
    topics: [TOPICS.control],
    from: 'earliest',
    onRecords: (some) => void records.push(...some),
  });
  await reader.caughtUp;
  await reader.stop();
  return { bus, records };
}

type Told = { refusal: string | null; void: boolean; version: number };

/**
 * Returns the results that a reader finds by reading the log from its start. Versions are counted separately from the
 * code under test.
 */
function foundBy(records: readonly ControlRecord[]): Told[] {
  const fold = foldControl();
  const published = new Map<string, number>();
  return records.map((record, at) => {
    const became = fold.apply(record, at + 1);
    if (!became.ok) return { refusal: became.refusal, void: false, version: 0 };
    if (became.revision <= at) return { refusal: null, void: true, version: 0 };
    if (record.event !== 'policy.published') return { refusal: null, void: false, version: 0 };
    const version = (published.get(record.policy.id) ?? 0) + 1;
    published.set(record.policy.id, version);
    return { refusal: null, void: false, version };
  });
}

test('finds the same result of a change as every reader, however batches end, repeat and move to other recorders', async () => {
  await fc.assert(
    fc.asyncProperty(written, fc.array(delivery, { minLength: 1, maxLength: 8 }), async (log, deliveries) => {
      const { bus, records } = await logOf(log.map((record) => JSON.stringify(record)));
      let changes = controlChanges(bus);
      const toldOf = async (batch: readonly LogRecord[]) => {
        const recorded = await changes.in(batch, 1_000);
        return recorded.map((one) => {
          expect(Buffer.from(one.value).toString()).not.toContain(HASH);
          if (!('outcome' in one.record)) throw new TypeError('it is none of the control topic');
          const { refusal, policyVersion: version, revision } = one.record.outcome;
          expect(revision).toBe(one.position.offset + 1);
          return { refusal, void: one.void, version };
        });
      };
      const told: Told[] = [];
      for (let at = 0, nth = 0; at < records.length; nth += 1) {
        const { size = 1, behind } = deliveries[nth % deliveries.length] ?? {};
        const batch = records.slice(at, at + size);
        const first = await toldOf(batch);
        told.push(...first);
        if (behind === 'tries again') expect(await toldOf(batch)).toEqual(first);
        if (behind === 'has it delivered again') expect(await toldOf([...batch])).toEqual(first);
        if (behind === 'is taken over') changes = controlChanges(bus);
        at += size;
      }
      expect(told).toEqual(foundBy(log));
    }),
    { numRuns: 25 },
  );
});

const WHO = { id: 'c', tenant: 'acme', by: 'ann', reason: '', at: AT };

test('an unreadable change stops later changes, and readable changes of its batch are not applied twice', async () => {
  const published = { event: 'policy.published', policy: { version: 1, id: 'p' } };
  const values = [1, 2, 3].map((n) => ({ ...published, change: { ...WHO, id: `c-${n}` } }));
  const strange = { ...published, change: WHO, aBoundOfTomorrow: 1 };
  const { bus, records } = await logOf([...values, strange].map((value) => JSON.stringify(value)));
  const changes = controlChanges(bus);
  await changes.in(records.slice(0, 1), 0);
  await expect(changes.in(records.slice(1), 0)).rejects.toMatchObject({ code: 'LOG_UNREADABLE' });
  const rest = await changes.in(records.slice(1, 3), 0);
  expect(rest.map(({ record }) => 'outcome' in record && record.outcome.policyVersion)).toEqual([2, 3]);
});

test('ignores records of another partition, and does not record them', async () => {
  const { bus, records } = await logOf(
    [JSON.stringify({ event: 'rule.removed', ruleId: 'r', change: WHO }), 'nothing'],
    1,
  );
  expect(await controlChanges(bus).in(records, 0)).toEqual([]);
});
