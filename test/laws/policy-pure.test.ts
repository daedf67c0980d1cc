/**
 * Tests that `plan` and `decide` are pure functions. For all arguments they must return a result, and the same result
 * each time. They must not change their arguments.
 */

import { decide, plan } from '@mandate/policy';
import { type Code, type LimitFact, type Plan, type StepFacts, TURN_FAILURES } from '@mandate/schemas';
import { runs } from '@mandate/testing';
import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { mandatesOf, START_MS } from '../decider-in-a-box.ts';
import { arbitraryAction, arbitraryMandate } from './arbitrary-requests.ts';

// The timeout is long: each test runs many random cases, which takes about a second, and more on a busy machine.
vi.setConfig({ testTimeout: 30_000 });

const atMs = fc.oneof(fc.constantFrom(0, START_MS, START_MS + 60_000), fc.nat(4e12));
const arbitraryPlan = fc
  .tuple(arbitraryAction, arbitraryMandate, atMs)
  .map(([action, mandate, at]) => plan(action, mandatesOf([mandate])[0] ?? null, at));

/** Returns random facts that a ledger could find for this plan. */
function factsOf(plan: Plan): fc.Arbitrary<StepFacts> {
  const wait = fc.option(fc.nat(10_000));
  const limits = fc.tuple(
    ...plan.limits.map(({ kind }): fc.Arbitrary<LimitFact> => {
      if (kind === 'confirmation') {
        const grants = fc.constantFrom(
          'none' as const,
          'granted' as const,
          'denied' as const,
          'expired' as const,
        );
        return fc
          .tuple(grants, fc.nat(100))
          .map(([grant, waiting]) => ({ kind, ok: grant === 'granted', grant, waiting }));
      }
      if (kind === 'turn')
        return fc.constantFrom(null, ...TURN_FAILURES).map((fails) => ({
          ...{ kind, ok: fails === null, fails, agentId: 'ann', intent: 'chat', openedAtMs: 0, calls: 1 },
        }));
      const seen = fc.record({ ok: fc.boolean(), retryAfterMs: wait, amount: fc.maxSafeNat() });
      return kind === 'rate'
        ? seen.map(({ amount, ...fact }) => ({ kind, calls: amount, ...fact }))
        : seen.map(({ amount, ...fact }) =>
            kind === 'budget' ? { kind, spentMicros: amount, ...fact } : { kind, used: amount, ...fact },
          );
    }),
  );
  const first = fc.option(
    fc.record({
      source: fc.constant({ topic: 't', partition: 0, offset: 0 }),
      appendedAtMs: fc.constant(START_MS),
      kind: fc.constantFrom('first' as const, 'expired' as const),
      actionId: fc.constant('x'),
      attempt: fc.integer({ min: 1, max: 9 }),
      verdict: fc.constantFrom('ALLOW' as const, 'BLOCK' as const, 'DEFER' as const),
      code: fc.constantFrom<Code>('ALLOWED', 'TOOL_DENIED', 'APPROVAL_REQUIRED'),
      samePayload: fc.boolean(),
    }),
    { freq: 3 },
  );
  const kill = fc.option(
    fc.record({
      scope: fc.constantFrom('agent' as const, 'tenant' as const, 'all' as const),
      revision: fc.nat(),
      reason: fc.string(),
    }),
    { freq: 3 },
  );
  return fc.record({
    epoch: fc.constant('e'),
    sequence: fc.nat(),
    atMs: fc.constant(START_MS),
    first,
    unremembered: fc.boolean(),
    late: fc.boolean(),
    kill,
    limits: fc.oneof(limits, fc.constant([])),
    chargedMicros: fc.maxSafeNat(),
    cumulativeMicros: fc.maxSafeNat(),
    leaseExpiresAtMs: fc.option(fc.nat()),
  });
}

const arbitraryFound = arbitraryPlan.chain((made) => fc.tuple(fc.constant(made), factsOf(made)));

function frozen<T>(value: T): T {
  if (value !== null && typeof value === 'object' && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const member of Object.values(value)) frozen(member);
  }
  return value;
}

test('plan returns the same result each time, from frozen arguments, and the result survives JSON', () => {
  fc.assert(
    fc.property(arbitraryAction, arbitraryMandate, atMs, (action, fields, at) => {
      const mandate = mandatesOf([fields])[0] ?? null;
      const made = plan(frozen(action), mandate === null ? null : Object.freeze(mandate), at);
      expect(plan(structuredClone(action), mandate, at)).toEqual(made);
      expect(plan(action, mandatesOf([fields])[0] ?? null, at)).toEqual(made);
      expect(JSON.parse(JSON.stringify(made))).toEqual(made);
      expect(Number.isSafeInteger(made.reserveMicros) && made.reserveMicros >= 0).toBe(true);
    }),
    { numRuns: runs(100) },
  );
});

test('decide returns the same result each time, from frozen arguments, and the result survives JSON', () => {
  fc.assert(
    fc.property(arbitraryFound, ([made, facts]) => {
      const judgement = decide(frozen(made), frozen(facts));
      expect(decide(structuredClone(made), structuredClone(facts))).toEqual(judgement);
      expect(JSON.parse(JSON.stringify(judgement))).toEqual(judgement);
    }),
    { numRuns: runs(100) },
  );
});

test('an error inside a plan becomes a static INTERNAL_ERROR that can be retried, and observe mode does not allow it', () => {
  const [mandate] = mandatesOf([{ mode: 'observe' }]);
  if (mandate === undefined) throw new Error('no mandate');
  const [policy] = mandate.policies;
  if (policy === undefined) throw new Error('no policy');
  const fails = () => {
    throw new RangeError('out of luck');
  };
  const deniedTools = Object.assign(fails, { steps: 1 });
  const broken = { ...mandate, policies: [{ ...policy, deniedTools }] };
  const made = plan({ id: 'a', agentId: 'x', type: 'tool_call', tool: 't' }, broken, 0);
  expect(made).toMatchObject({
    refusal: { code: 'INTERNAL_ERROR', final: false },
    observe: false,
    limits: [],
  });
  expect(made.refusal?.reason).toContain('out of luck');
  const step = { epoch: 'e', sequence: 1, atMs: 0, first: null, unremembered: false };
  const nothing = { ...step, late: false, kill: null, limits: [] };
  const facts = { ...nothing, chargedMicros: 0, cumulativeMicros: 0, leaseExpiresAtMs: null };
  expect(decide({ ...made, observe: true }, facts)).toMatchObject({
    verdict: 'BLOCK',
    code: 'INTERNAL_ERROR',
    final: false,
    retryAfterMs: 0,
    observed: null,
  });
});

describe('observe mode', () => {
  test('changes only refusals by the mandate to ALLOW, and records them as observed', () => {
    const never: Code[] = [
      'DUPLICATE_ACTION',
      'REPLAY_MEMORY_FULL',
      'DEADLINE_EXCEEDED',
      'AGENT_KILLED',
      'INTERNAL_ERROR',
    ];
    fc.assert(
      fc.property(arbitraryFound, ([made, facts]) => {
        const enforced = decide({ ...made, observe: false }, facts);
        const watched = decide({ ...made, observe: true }, facts);
        expect(enforced.observed).toBeNull();
        const softened =
          enforced.verdict !== 'ALLOW' && facts.first === null && !never.includes(enforced.code);
        if (!softened) {
          expect(watched).toEqual(enforced);
          return;
        }
        expect(watched).toMatchObject({
          verdict: 'ALLOW',
          code: 'ALLOWED',
          final: false,
          retryAfterMs: null,
          observed: { verdict: enforced.verdict, code: enforced.code },
          checks: enforced.checks,
        });
      }),
      { numRuns: runs(100) },
    );
  });
});

/** The codes of refusals that end at an unknown time. */
const WAITS_UNKNOWN: Code[] = ['APPROVAL_EXPIRED', 'WAITING_LIMIT_EXCEEDED', 'REPLAY_MEMORY_FULL'];

test('a refusal is not final if and only if waiting can help', () => {
  fc.assert(
    fc.property(arbitraryFound, ([made, facts]) => {
      const { verdict, code, final, retryAfterMs } = decide(made, facts);
      if (verdict !== 'BLOCK' || WAITS_UNKNOWN.includes(code)) {
        expect({ final, retryAfterMs }).toEqual({ final: false, retryAfterMs: null });
        return;
      }
      expect(final).toBe(retryAfterMs === null);
    }),
    { numRuns: runs(100) },
  );
});
