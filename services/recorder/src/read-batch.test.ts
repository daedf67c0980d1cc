import { readFileSync } from 'node:fs';
import { type EpochInForce, TOPICS } from '@mandate/schemas';
import { arbitraryEpochHistory, buildDecision, isOvertaken, recordOf, standing } from '@mandate/testing';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readBatch } from './read-batch.ts';

const EXAMPLE = new URL('../../../schemas/examples/v1/context.built.built.json', import.meta.url);

test('marks the same records void as every other reader does, wherever its batches end', async () => {
  await fc.assert(
    fc.asyncProperty(arbitraryEpochHistory, fc.integer({ min: 1, max: 9 }), async (steps, size) => {
      const records = steps.map((step, offset) => ({
        position: { topic: TOPICS.decisions, partition: 0, offset },
        key: null,
        value: Buffer.from(JSON.stringify(recordOf(step, offset))),
        headers: {},
        appendedAtMs: 1_000,
      }));
      const stand: number[] = [];
      const overtaken: number[] = [];
      let epoch: EpochInForce | null = null;
      for (let from = 0; from < records.length; from += size) {
        const batch = { topic: TOPICS.decisions, records: records.slice(from, from + size) };
        const read = await readBatch(batch, { epoch, recordedAtMs: 1_000 });
        const kept = read.rowBatch.decisions.filter((recorded) => !recorded.void);
        stand.push(...kept.map(({ position }) => position.offset));
        const passedOver = read.rowBatch.controlEvents.filter((recorded) => recorded.void);
        overtaken.push(...passedOver.map(({ position }) => position.offset));
        ({ epoch } = read);
      }
      const expected = standing(steps);
      expect(stand).toEqual([...expected.keys()].filter((at) => expected[at]));
      expect(overtaken).toEqual([...steps.keys()].filter((at) => isOvertaken(steps, at)));
    }),
  );
});

test('uses the decision object that this process wrote, and does not parse its value', async () => {
  const record = { event: 'action.decided' as const, decision: buildDecision(1, { appendedAtMs: 1_000 }) };
  const logged = {
    position: { topic: TOPICS.decisions, partition: 0, offset: 0 },
    ...{ key: null, value: Buffer.from('no JSON'), headers: {}, appendedAtMs: 1_000, written: record },
  };
  const batch = { topic: TOPICS.decisions, records: [logged] };
  const { rowBatch } = await readBatch(batch, { epoch: null, recordedAtMs: 1_000 });
  expect(rowBatch.decisions.map((recorded) => recorded.record)).toEqual([record.decision]);
  expect(rowBatch.unreadable).toEqual([]);
});

test('a record of the context builder is kept for as many days as its tenant says', async () => {
  const logged = {
    position: { topic: TOPICS.context, partition: 0, offset: 0 },
    ...{ key: null, value: readFileSync(EXAMPLE), headers: {}, appendedAtMs: 1_000 },
  };
  const batch = { topic: TOPICS.context, records: [logged, { ...logged, value: Buffer.from('{}') }] };
  const keptDays = async (keepContextDays?: (tenant: string) => number) => {
    const { rowBatch } = await readBatch(batch, { epoch: null, recordedAtMs: 1_000, keepContextDays });
    expect(rowBatch.unreadable).toHaveLength(1);
    const [recorded] = rowBatch.contextBuilds;
    const { build, keptUntilMs = 0 } = recorded?.record ?? {};
    return (keptUntilMs - Date.parse(build?.builtAt ?? '')) / 86_400_000;
  };
  expect(await keptDays()).toBe(30);
  expect(await keptDays((tenant) => (tenant === 'acme' ? 7 : 90))).toBe(7);
});
