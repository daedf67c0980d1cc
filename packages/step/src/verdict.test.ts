import {
  type FirstDecision,
  type Limit,
  type LimitFact,
  type Plan,
  UNBOUND_SETTLING,
} from '@mandate/schemas';
import { expect, test } from 'vitest';
import {
  decisionKind,
  endsStep,
  enforcedVerdict,
  type Findings,
  isObserveOnly,
  publishedVerdict,
} from './verdict.ts';
import { VERDICTS } from './verdict-table.ts';

const CONFIRMATION: Limit = { kind: 'confirmation', maxWaiting: 2 };
const FIRST: FirstDecision = {
  source: { topic: 't', partition: 0, offset: 1 },
  ...{ appendedAtMs: 0, kind: 'first', actionId: 'a', attempt: 1 },
  ...{ verdict: 'DEFER', code: 'APPROVAL_REQUIRED', samePayload: true },
};
const REFUSAL = { code: 'TOOL_DENIED', reason: '', remedy: '', final: true } as const;
const UNPLANNED = { code: 'INTERNAL_ERROR', reason: '', remedy: '', final: false } as const;
const NOTHING: Findings = { first: null, unremembered: false, late: false, kill: null, limits: [] };
const KILL = { scope: 'agent', revision: 1, reason: '' } as const;

function plan(changes: Partial<Plan> = {}): Plan {
  return {
    ...{ holdsFromMs: 0, holdsUntilMs: null, refusal: null, observe: false, reserveMicros: 0 },
    ...{ charging: { type: 'SUCCESS_BASED', estimateMicros: 0 }, settling: UNBOUND_SETTLING, leaseMs: 0 },
    ...{ limits: [], mandate: null, checks: [] },
    ...changes,
  };
}

function grant(grant: 'none' | 'denied' | 'expired', waiting = 0): LimitFact {
  return { kind: 'confirmation', ok: false, grant, waiting };
}

const rate = (retryAfterMs: number | null): LimitFact => ({
  kind: 'rate',
  calls: 1,
  ok: false,
  retryAfterMs,
});
const budget = (retryAfterMs: number | null): LimitFact => ({
  ...{ kind: 'budget', spentMicros: 1, ok: false, retryAfterMs },
});

test.each<[string, Partial<Findings>, Partial<Plan>, string]>([
  ['a deferred request that is sent again', { first: FIRST, kill: KILL }, {}, 'deferredAgain'],
  ['another payload under a deferred id', { first: { ...FIRST, samePayload: false } }, {}, 'duplicate'],
  ['a repeated request', { first: { ...FIRST, verdict: 'ALLOW' }, late: true }, {}, 'duplicate'],
  ['a ledger without room for another id', { unremembered: true, late: true }, {}, 'noRoom'],
  ['a missed deadline', { late: true, kill: KILL }, {}, 'late'],
  ['a killed agent', { kill: KILL }, { refusal: REFUSAL }, 'killed'],
  ['a refused plan', { limits: [budget(null)] }, { refusal: REFUSAL }, 'refusal'],
  ['a full budget', { limits: [budget(5), rate(5)] }, {}, 'overBudget'],
  ['a full rate', { limits: [rate(5), budget(5)] }, {}, 'overRate'],
  ['a question', { limits: [grant('none', 1)] }, { limits: [CONFIRMATION] }, 'asksPerson'],
  ['one question too many', { limits: [grant('none', 2)] }, { limits: [CONFIRMATION] }, 'tooManyWait'],
  ['a denial', { limits: [grant('denied', 2)] }, { limits: [CONFIRMATION] }, 'denied'],
  ['an expired grant', { limits: [grant('expired', 2)] }, { limits: [CONFIRMATION] }, 'expired'],
  ['no failed check', {}, {}, 'allowed'],
])('uses the first row that applies: %s', (_, found, changes, by) => {
  expect(enforcedVerdict(plan(changes), { ...NOTHING, ...found }).by).toBe(by);
});

test.each<[string, LimitFact[], boolean, number | null]>([
  ['states the longest of all waits', [rate(3), budget(7), budget(5)], false, 7],
  ['is final if one counter never frees', [rate(3), budget(null)], true, null],
  ['does not wait for a person', [rate(3), grant('none')], false, 3],
])('a refusal by counters %s', (_, limits, final, retryAfterMs) => {
  const plain = plan({ limits: [CONFIRMATION, CONFIRMATION, CONFIRMATION] });
  expect(enforcedVerdict(plain, { ...NOTHING, limits })).toMatchObject({ final, retryAfterMs });
});

test('a final refusal states no wait, and any other refusal may be retried at once', () => {
  expect(enforcedVerdict(plan({ refusal: REFUSAL }), NOTHING)).toMatchObject({
    final: true,
    retryAfterMs: null,
  });
  expect(enforcedVerdict(plan({ refusal: UNPLANNED }), NOTHING)).toMatchObject({
    final: false,
    retryAfterMs: 0,
  });
});

test("observe mode lifts the mandate's own refusals, and nothing else", () => {
  const observing = plan({ observe: true, refusal: REFUSAL });
  expect(publishedVerdict(observing, NOTHING)).toMatchObject(VERDICTS.allowed);
  expect(publishedVerdict(observing, { ...NOTHING, kill: KILL })).toMatchObject(VERDICTS.killed);
  expect(isObserveOnly(plan({ observe: true, refusal: UNPLANNED }))).toBe(false);
  expect(publishedVerdict(plan({ observe: true, refusal: UNPLANNED }), NOTHING).by).toBe('refusal');
});

test.each<[Partial<Findings>, string, boolean]>([
  [{}, 'first', false],
  [{ late: true }, 'expired', true],
  [{ first: FIRST }, 'duplicate', true],
  [{ first: FIRST, unremembered: true }, 'unremembered', true],
  [{ kill: KILL }, 'first', true],
])('finds the kind of a decision, and whether the step ended early: %j', (found, kind, ended) => {
  expect(decisionKind({ ...NOTHING, ...found })).toBe(kind);
  expect(endsStep({ ...NOTHING, ...found })).toBe(ended);
});
