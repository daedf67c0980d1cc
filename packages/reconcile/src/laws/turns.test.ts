import { type Decision, type DecisionsRecord, TOPICS, wireTime } from '@mandate/schemas';
import { buildDecision, buildReservation } from '@mandate/testing';
import { expect, test } from 'vitest';
import { createLaws } from './laws.ts';

const START_MS = Date.UTC(2026, 2);
const OPENED_MS = START_MS + 10;

/** Returns a decision with the sequence number `n`, `n` seconds after the turn was opened. */
function decided(n: number, given: Partial<Decision>): DecisionsRecord {
  const decidedAt = wireTime(OPENED_MS + 1_000 * (n - 1));
  const decision = buildDecision(n, { appendedAtMs: START_MS, decidedAt, chargedMicros: 0, ...given });
  return { event: 'action.decided', decision: { ...decision, cumulativeMicros: 0 } };
}

const begins: DecisionsRecord = {
  event: 'ledger.epoch',
  epoch: { id: 'ep-1', generation: 1, previous: null, reason: 'test', at: wireTime(START_MS) },
};
const prompt = decided(1, {
  type: 'prompt',
  reservation: buildReservation(0, { opensTurn: { intent: 'chat', person: 'u1 user' } }),
});

type Seen = { calls?: number; maxCalls?: number; intent?: string; timeoutMs?: number; grant?: string };

function call(n: number, { grant, ...seen }: Seen, given: Partial<Decision> = {}): DecisionsRecord {
  const evidence = { turnId: 'act-1', intent: 'chat', openedAtMs: OPENED_MS, timeoutMs: null, ...seen };
  const counted = { agentId: 'bot', id: 'act-1', openedAtMs: OPENED_MS, counts: 'tool' as const };
  return decided(n, {
    reservation: buildReservation(0, { turn: counted }),
    checks: [
      { check: 'turn', result: 'pass', evidence },
      ...(grant === undefined
        ? []
        : [{ check: 'confirmation', result: 'pass' as const, evidence: { grant } }]),
    ],
    ...given,
  });
}

function limitsOf(...records: DecisionsRecord[]) {
  const laws = createLaws({ tenants: ['acme'], partitions: 1, isKept: () => true });
  for (const [offset, record] of [begins, ...records].entries()) {
    const position = { topic: TOPICS.decisions, partition: 0, offset };
    laws.takes(record, { position, appendedAtMs: START_MS });
  }
  laws.end();
  return laws.report().find(({ law }) => law === 'limits');
}

test('breaks no law if each call has the same facts about its turn as the log, and fits into the limits', () => {
  const report = limitsOf(
    prompt,
    call(2, { calls: 0, maxCalls: 2 }),
    call(3, { calls: 1, maxCalls: 2 }),
    call(
      4,
      { calls: 2, maxCalls: 2 },
      { verdict: 'BLOCK', code: 'TURN_LIMIT_EXCEEDED', reservation: null, checks: [] },
    ),
    call(5, { timeoutMs: 4_001 }),
    call(6, { timeoutMs: 10, grant: 'granted' }),
  );
  expect(report).toMatchObject({ checked: 4, broken: 0 });
});

test.each<[string, DecisionsRecord[]]>([
  ['saw too few calls', [call(2, { calls: 0 }), call(3, { calls: 0 })]],
  ['saw calls that the log does not have', [call(2, { calls: 1 })]],
  ['was allowed although the turn was full', [call(2, { calls: 0, maxCalls: 0 })]],
  ['was allowed although the turn was over', [call(2, { timeoutMs: 1_000 })]],
  [
    'was allowed after the turn, and its approval had expired',
    [call(2, { timeoutMs: 10, grant: 'expired' })],
  ],
  ['saw another intent', [call(2, { intent: 'quiz' })]],
])('a call breaks the law if it %s', (_, calls) => {
  expect(limitsOf(prompt, ...calls)).toMatchObject({ broken: 1 });
});

test('a call in a turn that the log does not have is left out', () => {
  expect(limitsOf(call(1, { calls: 3 }))).toMatchObject({ checked: 0, leftOut: 1, broken: 0 });
});
