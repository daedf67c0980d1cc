import { approvalId, DEFAULTS, type DecisionsRecord, wireTime } from '@mandate/schemas';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Alarms, type Raised } from './alarms.ts';
import { DEFAULT_ALERTING } from './alert-rules.ts';
import { unanswered } from './approval-rule.ts';
import { approved, decided, logged, START_MS } from './decided.fixture.ts';
import { brief, evaluatorOn, only, raisedBy } from './evaluated.fixture.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = DEFAULTS.replayMemoryMs;

/** Runs the rule for approvals of an alerter, with records and times that the test chooses. */
function watching() {
  const alarms = new Alarms();
  const evaluator = evaluatorOn(alarms, DEFAULT_ALERTING);
  const raised: Raised[] = [];
  let offset = 0;
  return {
    raised,
    said: () => raised.map(({ event, alert }) => `${event.slice('alert.'.length)} ${alert.rule}`),
    remembered: () => [...alarms.of('approval')].length,
    read(record: DecisionsRecord) {
      const found = evaluator.evaluate([logged(record, offset++)]);
      raised.push(...found.filter(({ alert }) => alert.rule.startsWith('approval')));
    },
    look(nowMs: number, overdueMs?: number) {
      const findings = [...unanswered(alarms, overdueMs, nowMs)];
      raised.push(...findings.flatMap((finding) => evaluator.raise(finding) ?? []));
    },
  };
}

const deferred = (n: number, atMs: number, actionId = 'act-1') =>
  decided(n, { verdict: 'DEFER', code: 'APPROVAL_REQUIRED', actionId, decidedAt: wireTime(atMs) });

test('an unanswered approval is cleared after a day, and asking again raises a new alert', () => {
  const { read, look, said, raised } = watching();
  read(deferred(1, START_MS));
  look(START_MS + DAY_MS - 1);
  expect(said()).toEqual(['raised approval']);
  look(START_MS + DAY_MS);
  look(START_MS + DAY_MS);
  expect(said()).toEqual(['raised approval', 'cleared approval']);
  expect(raised[1]?.alert).toMatchObject({
    message: 'The question about act-1 of bot expired without an answer. The agent must ask again.',
    at: wireTime(START_MS + DAY_MS),
    facts: { actionId: 'act-1', waitingSince: wireTime(START_MS) },
  });
  read(deferred(2, START_MS + DAY_MS + 1));
  expect(said().slice(2)).toEqual(['raised approval']);
  expect(new Set(raised.map(({ alert }) => alert.id)).size).toBe(3);
});

test('if a grant comes too late, the action still waits for a person', () => {
  const { read, said, raised } = watching();
  read(deferred(1, START_MS));
  read(approved(2, { actionId: 'act-1' }));
  expect(said()).toEqual(['raised approval', 'cleared approval']);
  const late = { verdict: 'BLOCK', code: 'APPROVAL_EXPIRED', actionId: 'act-1' } as const;
  read(decided(3, { ...late, decidedAt: wireTime(START_MS + HOUR_MS) }));
  expect(said().slice(2)).toEqual(['raised approval']);
  const subject = { agentId: 'bot', actionId: 'act-1', digest: 'd' };
  expect(raised[2]?.alert.facts).toMatchObject({ approvalId: approvalId(subject) });
});

test('an overdue approval is cleared one day after its overdue time', () => {
  const { read, look, said } = watching();
  const overdueMs = 3 * DAY_MS;
  read(deferred(1, START_MS));
  look(START_MS + overdueMs, overdueMs);
  look(START_MS + overdueMs + DAY_MS - 1, overdueMs);
  expect(said()).toEqual(['raised approval', 'raised approval_overdue']);
  look(START_MS + overdueMs + DAY_MS, overdueMs);
  expect(said().slice(2)).toEqual(['cleared approval', 'cleared approval_overdue']);
});

test('raises the same alerts however often it checks, even if actions are asked about again and again', () => {
  const step = fc.record({
    afterMs: fc.integer({ min: 1, max: 20 * HOUR_MS }),
    action: fc.constantFrom('act-1', 'act-2'),
    isAnswer: fc.boolean(),
  });
  fc.assert(
    fc.property(
      fc.array(step, { maxLength: 30 }),
      fc.array(fc.boolean(), { minLength: 1 }),
      fc.constantFrom(undefined, HOUR_MS),
      (steps, looks, overdueMs) => {
        const [often, rarely] = [watching(), watching()];
        let nowMs = START_MS;
        steps.forEach(({ afterMs, action: actionId, isAnswer }, n) => {
          nowMs += afterMs;
          often.look(nowMs - 1, overdueMs);
          if (looks[n % looks.length]) rarely.look(nowMs - 1, overdueMs);
          const record = isAnswer
            ? approved(n, { actionId, at: wireTime(nowMs) })
            : deferred(n, nowMs, actionId);
          often.read(record);
          rarely.read(record);
        });
        for (const each of [often, rarely]) each.look(nowMs + 2 * DAY_MS, overdueMs);
        const ids = ({ raised }: typeof often) =>
          raised.filter(({ alert }) => alert.rule === 'approval').map(({ alert }) => alert.id);
        expect(new Set(ids(rarely))).toEqual(new Set(ids(often)));
        expect(new Set(ids(often)).size).toBe(ids(often).length);
      },
    ),
  );
});

test('remembers unanswered actions for at most two days', () => {
  const { read, look, remembered } = watching();
  let most = 0;
  for (let n = 1; n <= 500; n++) {
    const nowMs = START_MS + n * HOUR_MS;
    read(deferred(n, nowMs, `act-${n}`));
    look(nowMs);
    most = Math.max(most, remembered());
  }
  expect(most).toBeLessThanOrEqual(49);
});

describe('an action that waits for a person', () => {
  const rules = only({ approval: {} });
  const deferral = { verdict: 'DEFER', code: 'APPROVAL_REQUIRED' } as const;

  test('raises an alarm until a person answers', () => {
    const history = [decided(1, deferral), approved(2, { actionId: 'act-1' })];
    expect(brief(raisedBy(history, rules))).toEqual([
      'alert.raised approval bot act-1',
      'alert.cleared approval bot act-1',
    ]);
  });

  test('raises no second alert if its question is repeated, and is not cleared by a duplicate of another action', () => {
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
