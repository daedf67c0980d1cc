import { wireTime } from '@mandate/schemas';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Alarms, type Raised } from './alarms.ts';
import type { Finding } from './finding.ts';

const DAY_MS = 24 * 3_600_000;

const finding = (given: Partial<Finding>): Finding => ({
  rule: 'budget',
  tenant: 'acme',
  subject: 's',
  holds: true,
  order: 1,
  at: wireTime(0),
  message: '',
  facts: {},
  ...given,
});

/** Asks whether the finding changes the alarm. If it does, applies the resulting alert, as the evaluator does. */
function raise(alarms: Alarms, found: Finding): Raised | null {
  const judged = alarms.judge(found);
  if (judged === null) return null;
  const { event, id, episode } = judged;
  const { holds: _, facts, ...about } = found;
  const alert = { ...about, facts: { ...facts }, id, episode, record: null, webhooks: [], quiet: false };
  alarms.apply({ event, alert });
  return { event, alert };
}

test('the records of the topic give the same alarms in any order, even if a record is read several times', () => {
  const found = fc.record({ subject: fc.constantFrom('a', 'b'), holds: fc.boolean() });
  fc.assert(
    fc.property(fc.array(found, { maxLength: 20 }), fc.array(fc.nat()), (steps, order) => {
      const writer = new Alarms();
      const topic = steps.flatMap((step, n) => raise(writer, finding({ ...step, order: n + 1 })) ?? []);
      const shuffled = [...topic, ...topic].sort(
        (one, other) => (order[topic.indexOf(one)] ?? 0) - (order[topic.indexOf(other)] ?? 0),
      );
      const reader = new Alarms();
      for (const record of shuffled) reader.apply(record);
      for (const subject of ['a', 'b']) {
        expect(reader.get('budget', 'acme', subject)).toEqual(writer.get('budget', 'acme', subject));
      }
    }),
  );
});

test('an alert id is computed from rule, tenant, subject and episode', () => {
  const alarms = new Alarms();
  const found = [
    finding({}),
    finding({ rule: 'lag' }),
    finding({ tenant: 'other' }),
    finding({ tenant: null }),
    finding({ subject: 't' }),
    finding({ holds: false, order: 2 }),
    finding({ order: 3 }),
  ];
  const ids = found.map((one) => raise(alarms, one)?.alert.id);
  expect(new Set(ids).size).toBe(found.length);
  expect(ids).not.toContain(undefined);
  expect(raise(new Alarms(), finding({ message: 'by another', order: 7 }))?.alert.id).toBe(ids[0]);
});

test('forgets an answered action after a day, and keeps an action that waits', () => {
  const alarms = new Alarms();
  const approval = (subject: string, order: number, holds: boolean, atMs: number) =>
    raise(alarms, finding({ rule: 'approval', subject, order, holds, at: wireTime(atMs) }));
  approval('waits', 1, true, 0);
  approval('answered', 2, true, 0);
  approval('answered', 3, false, 1);
  expect(alarms.get('approval', 'acme', 'answered')?.stands).toBe(false);
  approval('later', 4, true, DAY_MS);
  approval('later', 5, false, DAY_MS + 2);
  expect(alarms.get('approval', 'acme', 'answered')).toBeUndefined();
  expect([...alarms.of('approval')].map(({ subject }) => subject)).toEqual(['waits', 'later']);
});

test('forgets the subject of a policy event after two days, so that memory stays bounded', () => {
  const alarms = new Alarms();
  const denied = (subject: string, atMs: number) =>
    raise(alarms, finding({ rule: 'policy_event', subject, at: wireTime(atMs) }));
  expect(denied('bot permission_denied 1970-01-01T00', 0)).not.toBeNull();
  expect(denied('bot permission_denied 1970-01-01T00', 1)).toBeNull();
  expect(denied('bot permission_denied 1970-01-04T00', 3 * DAY_MS)).not.toBeNull();
  expect(denied('bot permission_denied 1970-01-01T00', 2)).not.toBeNull();
});

test("forgets a subject with a past day after two days, and raises one alert for a subject with today's date", () => {
  const alarms = new Alarms();
  const excess = (subject: string, atMs: number) =>
    raise(alarms, finding({ rule: 'excess', subject, at: wireTime(atMs) }));
  expect(excess('bot 1970-01-01', 0)).not.toBeNull();
  expect(excess('bot 1970-01-03', 2 * DAY_MS)).not.toBeNull();
  expect(excess('bot 1970-01-01', 1)).toBeNull();
  expect(excess('bot 1970-01-04', 3 * DAY_MS)).not.toBeNull();
  expect(excess('bot 1970-01-04', 3 * DAY_MS + 1)).toBeNull();
  expect(excess('bot 1970-01-01', 2)).not.toBeNull();
});

test('ignores a finding that is older than the newest record that confirmed the alarm', () => {
  const alarms = new Alarms();
  raise(alarms, finding({ order: 1 }));
  expect(raise(alarms, finding({ order: 5 }))).toBeNull();
  expect(raise(alarms, finding({ order: 3, holds: false }))).toBeNull();
  expect(raise(alarms, finding({ order: 6, holds: false }))).toMatchObject({ event: 'alert.cleared' });
});

test('if a forgotten action id is used again, its alert gets a new id', () => {
  const alarms = new Alarms();
  const approval = (subject: string, order: number, holds: boolean, atMs: number) =>
    raise(alarms, finding({ rule: 'approval', subject, order, holds, at: wireTime(atMs) }))?.alert.id;
  const before = [approval('again', 1, true, 0), approval('again', 2, false, 1)];
  approval('other', 3, true, DAY_MS + 2);
  approval('other', 4, false, DAY_MS + 2);
  const after = [approval('again', 5, true, 2 * DAY_MS), approval('again', 6, false, 2 * DAY_MS)];
  expect(new Set([...before, ...after]).size).toBe(4);
  expect(after).not.toContain(undefined);
});
