/** Tests the laws of units other than money on logs of a few records. */
import {
  type DecisionsRecord,
  type Settlement,
  TOPICS,
  type UnitLimit,
  type UnitReservation,
  type UnitSettled,
  wireTime,
} from '@mandate/schemas';
import { buildDecision, buildReservation, buildSettlement } from '@mandate/testing';
import { describe, expect, test } from 'vitest';
import type { LawName } from './law.ts';
import { createLaws } from './laws.ts';

const START_MS = Date.UTC(2026, 2);
const EPOCH: DecisionsRecord = {
  event: 'ledger.epoch',
  epoch: { id: 'ep-1', generation: 1, previous: null, reason: 'test', at: wireTime(START_MS) },
};
const LIMIT = {
  ...({ kind: 'tokens', scope: 'agent', subject: 'bot', id: 'total', windowMs: null, most: 250 } as const),
} satisfies UnitLimit;
const SETTLING: UnitReservation['settling'] = {
  charging: 'SUCCESS_BASED',
  most: 200,
  releases: { amount: 100, percent: 20 },
};

/** Returns an ALLOW of 100 tokens. Its check saw `used`. */
function allowed(n: number, used: number): DecisionsRecord {
  const seen = { used, reserve: 100, most: 250, retryAfterMs: null };
  const { scope, id, windowMs } = LIMIT;
  const units = { tokens: { reserved: 100, settling: SETTLING, limits: [LIMIT] } };
  return {
    event: 'action.decided',
    decision: buildDecision(2 * n - 1, {
      ...{ appendedAtMs: START_MS + 2 * n - 1, actionId: `act-${n}`, type: 'llm_call', cumulativeMicros: 0 },
      reservation: buildReservation(0, { units }),
      checks: [{ check: 'tokens', result: 'pass', evidence: { scope, id, windowMs, ...seen } }],
    }),
  };
}

type Given = Partial<Omit<Settlement, 'units'>> & { tokens?: Partial<UnitSettled> };

function settled(n: number, charged: number, { tokens, ...given }: Given = {}): DecisionsRecord {
  const settlement = buildSettlement(n, {
    ...{ settledAtMs: START_MS + 2 * n, actionId: `act-${n}`, ledgerSequence: 2 * n },
    ...{ chargedMicros: 0, deltaMicros: 0, cumulativeMicros: 0 },
    source: { topic: TOPICS.actions, partition: 1, offset: n },
    units: {
      tokens: {
        ...{ delta: charged - 100, charged, excess: 0, released: 0 },
        ...{ overdrawn: false, releaseRefused: false },
        ...tokens,
      },
    },
    ...given,
  });
  return { event: 'action.settled', settlement };
}

function brokenIn(law: LawName, ...records: readonly DecisionsRecord[]): number | undefined {
  const laws = createLaws({ tenants: ['acme'], partitions: 1, isKept: () => true });
  for (const [offset, record] of [EPOCH, ...records].entries()) {
    laws.takes(record, {
      position: { topic: TOPICS.decisions, partition: 0, offset },
      appendedAtMs: START_MS,
    });
  }
  laws.end();
  return laws.report().find((report) => report.law === law)?.broken;
}

const usage = { inputTokens: 60, outputTokens: 20 };
const failure = { status: 'failure' } as const;
const trusted = { reportedBy: { keyId: 'k', mayRelease: true } };

describe('the law of limits', () => {
  test('holds if each decision saw the tokens of those before it', () => {
    expect(brokenIn('limits', allowed(1, 0), settled(1, 80, { usage }), allowed(2, 80))).toBe(0);
  });

  test('is broken by a decision that saw other tokens, or that did not fit', () => {
    expect(brokenIn('limits', allowed(1, 0), settled(1, 80, { usage }), allowed(2, 100))).toBe(1);
    const many = { usage: { inputTokens: 180, outputTokens: 0 } };
    expect(brokenIn('limits', allowed(1, 0), settled(1, 180, many), allowed(2, 180))).toBe(1);
  });
});

describe('the law of outcomes', () => {
  test.each([
    ['a success with its usage', settled(1, 80, { usage })],
    ['a success without usage', settled(1, 100)],
    ['an excess', settled(1, 200, { usage: { inputTokens: 230, outputTokens: 0 }, tokens: { excess: 30 } })],
    ['a release within the bound', settled(1, 0, { ...failure, tokens: { released: 100 } })],
    ['a release by a trusted reporter', settled(1, 0, { ...failure, ...trusted })],
    [
      'a release that is refused',
      settled(1, 100, { ...failure, marks: ['RELEASE_REFUSED'], tokens: { releaseRefused: true } }),
    ],
  ])('holds with %s', (_, settlement) => {
    expect(brokenIn('outcomes', allowed(1, 0), settlement)).toBe(0);
  });

  test.each([
    ['a charge above usage and reservation', settled(1, 101, { usage })],
    ['a charge that is not the reservation with the change', settled(1, 80, { usage, tokens: { delta: 0 } })],
    ['an excess below the cap', settled(1, 80, { usage, tokens: { excess: 1 } })],
    ['a release that is not counted', settled(1, 0, failure)],
    [
      'a release by a trusted reporter that counts',
      settled(1, 0, { ...failure, ...trusted, tokens: { released: 100 } }),
    ],
    ['a success that makes room without an earlier release', settled(1, 100, { tokens: { released: -20 } })],
    [
      'a refused release that releases',
      settled(1, 90, { ...failure, tokens: { released: 10, releaseRefused: true } }),
    ],
  ])('is broken by %s', (_, settlement) => {
    expect(brokenIn('outcomes', allowed(1, 0), settlement)).toBe(1);
  });

  test('is broken by a settlement that settles no tokens although some are reserved', () => {
    const record = settled(1, 100);
    if (record.event !== 'action.settled') throw new Error('a settlement was expected');
    const { units: _, ...settlement } = record.settlement;
    expect(brokenIn('outcomes', allowed(1, 0), { ...record, settlement })).toBe(1);
  });

  test('is broken by a second release beyond the bound', () => {
    const release = (n: number) => settled(n, 0, { ...failure, tokens: { released: 100 } });
    expect(brokenIn('outcomes', allowed(1, 0), release(1), allowed(2, 0), release(2))).toBe(1);
  });
});

describe('of tool calls', () => {
  const limit = { ...LIMIT, kind: 'toolCalls', most: 5 } as const satisfies UnitLimit;
  const settling = { charging: 'SUCCESS_BASED', most: 3, releases: null } as const;

  function asks(n: number, used: number): DecisionsRecord {
    const { scope, id, windowMs } = limit;
    const evidence = { scope, id, windowMs, used, reserve: 1, most: 5, retryAfterMs: null };
    return {
      event: 'action.decided',
      decision: buildDecision(2 * n - 1, {
        ...{
          appendedAtMs: START_MS + 2 * n - 1,
          actionId: `act-${n}`,
          type: 'llm_call',
          cumulativeMicros: 0,
        },
        reservation: buildReservation(0, {
          units: { toolCalls: { reserved: 1, settling, limits: [limit] } },
        }),
        checks: [{ check: 'tool-calls', result: 'pass', evidence }],
      }),
    };
  }

  function answers(n: number, charged: number, calls: number, excess = 0): DecisionsRecord {
    const record = settled(n, 100);
    if (record.event !== 'action.settled') throw new Error('a settlement was expected');
    const toolCalls = {
      delta: charged - 1,
      charged,
      excess,
      released: 0,
      overdrawn: false,
      releaseRefused: false,
    };
    return {
      ...record,
      settlement: { ...record.settlement, toolCalls: [{ tool: 'a', calls }], units: { toolCalls } },
    };
  }

  test('the laws hold for answers with their counts, and an excess', () => {
    const log = [asks(1, 0), answers(1, 2, 2), asks(2, 2), answers(2, 3, 4, 1), asks(3, 6)] as const;
    expect(brokenIn('outcomes', ...log)).toBe(0);
    expect(brokenIn('limits', asks(1, 0), answers(1, 2, 2), asks(2, 2))).toBe(0);
  });

  test('the law of limits is broken by an ALLOW that saw another number, or had no room', () => {
    expect(brokenIn('limits', asks(1, 0), answers(1, 2, 2), asks(2, 1))).toBe(1);
    expect(brokenIn('limits', asks(1, 0), answers(1, 3, 5, 2), asks(2, 5))).toBe(1);
  });

  test('the law of outcomes is broken by a charge above the count, or an excess below the cap', () => {
    expect(brokenIn('outcomes', asks(1, 0), answers(1, 3, 2))).toBe(1);
    expect(brokenIn('outcomes', asks(1, 0), answers(1, 2, 2, 1))).toBe(1);
  });
});
