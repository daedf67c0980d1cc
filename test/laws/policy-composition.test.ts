/**
 * Tests that several policies together allow an action only if each policy allows it. The order of policies, and
 * naming a policy twice, change nothing.
 */
import { compose, type Mandate, missingPolicy, plan } from '@mandate/policy';
import type { Check } from '@mandate/schemas';
import { hits, matchesByTable, runs } from '@mandate/testing';
import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { deciderInABox, decisionOf, START_MS } from '../decider-in-a-box.ts';
import { arbitraryAction, arbitraryAsk, arbitraryMandate } from './arbitrary-requests.ts';
import { CALL, composed, enforce, NAMES, named, policyOf } from './policy-composition.fixture.ts';

// The timeout is long: each test runs many random cases, which takes a second or two, and more on a busy machine.
vi.setConfig({ testTimeout: 60_000 });

const arbitraryPolicies = fc
  .array(arbitraryMandate, { minLength: 1, maxLength: NAMES.length, size: 'max' })
  .map(named);
const enforcedPolicies = fc
  .array(
    arbitraryMandate.map((fields) => ({ ...fields, mode: 'enforce' as const })),
    { minLength: 2, maxLength: NAMES.length },
  )
  .map(named);

/**
 * Decides all requests except the last under the mandate `before`, and the last request under the mandate `last`.
 * Returns the decision about the last request.
 */
async function decideLast(before: Mandate, last: Mandate, asks: readonly object[]) {
  const box = deciderInABox([{}]);
  enforce(box, before);
  for (const ask of asks.slice(0, -1)) await box.answer([box.append(ask)]);
  enforce(box, last);
  const [answer] = await box.answer([box.append(asks.at(-1))]);
  return decisionOf(answer);
}

test('with the same history, all policies together refuse what one of them refuses', async () => {
  await fc.assert(
    fc.asyncProperty(
      enforcedPolicies,
      fc.array(arbitraryAsk, { minLength: 1, maxLength: 6 }),
      async (policies, asks) => {
        const all = composed(policies);
        const { verdict } = await decideLast(all, all, asks);
        if (verdict === 'BLOCK') return;
        for (const policy of policies) {
          const alone = await decideLast(all, composed([policy]), asks);
          if (verdict === 'ALLOW') expect(alone.verdict).toBe('ALLOW');
          else expect(alone.verdict).not.toBe('BLOCK');
        }
      },
    ),
    { numRuns: runs(100) },
  );
});

test('an action that the static checks of every policy allow is allowed by the static checks of all policies together', () => {
  fc.assert(
    fc.property(enforcedPolicies, arbitraryAction, (policies, action) => {
      const alone = policies.map((policy) => plan(action, composed([policy]), START_MS));
      const all = plan(action, composed(policies), START_MS);
      const same = alone.every(({ reserveMicros }) => reserveMicros === all.reserveMicros);
      if (same && alone.every(({ refusal }) => refusal === null)) expect(all.refusal).toBeNull();
    }),
    { numRuns: runs(200) },
  );
});

test('the order of policies, and naming a policy twice, change nothing', () => {
  fc.assert(
    fc.property(
      arbitraryPolicies,
      fc.infiniteStream(fc.nat()),
      arbitraryAction,
      (policies, drawn, action) => {
        const shuffled = [...policies, ...policies]
          .map((policy) => ({ policy, at: drawn.next().value }))
          .toSorted((one, other) => one.at - other.at)
          .map(({ policy }) => policy);
        expect(composed(shuffled).reference).toEqual(composed(policies).reference);
        expect(plan(action, composed(shuffled), START_MS)).toEqual(
          plan(action, composed(policies), START_MS),
        );
      },
    ),
    { numRuns: runs(150) },
  );
});

test('every limit of each policy remains, as strict or stricter', () => {
  fc.assert(
    fc.property(arbitraryPolicies, arbitraryAction, (policies, action) => {
      const all = plan(action, composed(policies), START_MS);
      for (const policy of policies) {
        const alone = plan(action, composed([policy]), START_MS);
        if (alone.refusal !== null) expect(all.refusal).not.toBeNull();
        if (!alone.observe) expect(all.observe).toBe(false);
        expect(all.reserveMicros).toBeGreaterThanOrEqual(alone.reserveMicros);
        expect(all.leaseMs).toBeLessThanOrEqual(alone.leaseMs);
        expect(all.holdsFromMs).toBeGreaterThanOrEqual(alone.holdsFromMs);
        expect(all.holdsUntilMs ?? Infinity).toBeLessThanOrEqual(alone.holdsUntilMs ?? Infinity);
        for (const limit of alone.limits) {
          const kept = all.limits.filter((one) => counterOf(one) === counterOf(limit));
          expect(kept).toHaveLength(1);
          expect(mostOf(kept[0])).toBeLessThanOrEqual(mostOf(limit));
        }
      }
      expect(new Set(all.limits.map(counterOf)).size, 'a counter is charged once').toBe(all.limits.length);
    }),
    { numRuns: runs(200) },
  );
});

test('of limits with the same counter the strictest applies, and it lists the limits of the other policies as other limits', () => {
  fc.assert(
    fc.property(arbitraryPolicies, arbitraryAction, (policies, action) => {
      // A policy in observe mode gets its own limit of open calls only if there is an enforced policy too. So in this
      // test, all policies are enforced.
      const enforced = policies.map((policy) => ({ ...policy, observe: false }));
      const alone = enforced.flatMap((policy) => plan(action, composed([policy]), START_MS).limits);
      for (const { otherLimits = [], ...strictest } of plan(action, composed(policies), START_MS).limits) {
        const saying = alone.filter((one) => counterOf(one) === counterOf(strictest) && saysSomething(one));
        const told = [...(saysSomething(strictest) ? [strictest] : []), ...otherLimits];
        expect(told.map(boundIn)).toHaveLength(saying.length);
        expect(new Set(told.map(boundIn))).toEqual(new Set(saying.map(boundIn)));
        const ofOthers = saying.filter(({ policy }) => policy !== strictest.policy);
        expect(otherLimits.map(boundIn), 'in the order of the policies').toEqual(ofOthers.map(boundIn));
      }
    }),
    { numRuns: runs(200) },
  );
});

test('the listed result of another policy’s limit is the result of that policy alone, with the same history', async () => {
  const told = { pass: 0, block: 0 };
  await fc.assert(
    fc.asyncProperty(
      fc.array(sharing, { minLength: 2, maxLength: NAMES.length }).map(named),
      fc.integer({ min: 1, max: 7 }),
      fc.constantFrom(100_000, 500_000),
      async (policies, calls, lastMicros) => {
        const asks = Array.from({ length: calls }, (_, at) => ({
          event: 'action.requested',
          action: { id: `c${at}`, ...CALL, estimatedCostMicros: at === calls - 1 ? lastMicros : 100_000 },
        }));
        const all = composed(policies);
        const { checks } = await decideLast(all, all, asks);
        const merged = checks.flatMap((check) => othersIn(check).map((other) => ({ check, other })));
        for (const { check, other } of merged) {
          const policy = policies.filter(({ name }) => name === other.policy);
          const alone = (await decideLast(all, composed(policy), asks)).checks.find(
            (one) => one.result !== 'skip' && one.check === check.check && seenIn(one) === seenIn(check),
          );
          expect(other.result).toBe(alone?.result);
          told[other.result] += 1;
        }
      },
    ),
    { numRuns: runs(60) },
  );
  expect(Math.min(told.pass, told.block), 'both came about').toBeGreaterThan(hits(10));
});

/** Several policies that have limits on the same counters. */
const sharing = fc.record({
  maxCostTotal: fc.constantFrom(0.1, 0.3, 0.5, 1),
  budgets: fc
    .constantFrom(0.2, 0.4, 1)
    .map((max) => [{ id: 'team', scope: 'tenant', max, windowMs: 3_600_000 }]),
  rateLimit: fc.constantFrom(0, 2, 4, 9).map((maxCalls) => ({ maxCalls, windowMs: 3_600_000 })),
});

type Other = { policy: string; result: 'pass' | 'block' };

function othersIn({ check, evidence }: Check): readonly Other[] {
  return check === 'confirmation'
    ? []
    : ((evidence as { otherLimits?: Other[] } | undefined)?.otherLimits ?? []);
}

/** Returns the evidence of a check. Parts that differ between policies are removed. */
function seenIn({ evidence }: Check): string {
  const {
    otherLimits: _,
    maxMicros: __,
    maxCalls: ___,
    retryAfterMs: ____,
    ...seen
  } = evidence as { [name: string]: unknown };
  return JSON.stringify(seen);
}

type Limit = ReturnType<typeof plan>['limits'][number];

function saysSomething(limit: Limit): boolean {
  return limit.kind !== 'budget' || limit.maxMicros !== null;
}

function boundIn(limit: object): string {
  const { policy, maxMicros, maxCalls } = limit as { [name: string]: unknown };
  return JSON.stringify([policy, maxMicros, maxCalls]);
}

function counterOf(limit: Limit): string {
  if (limit.kind === 'confirmation' || limit.kind === 'turn') return limit.kind;
  if (limit.kind === 'rate') return JSON.stringify([limit.agentId, limit.tool, limit.windowMs]);
  return JSON.stringify([limit.kind, limit.scope, limit.subject, limit.id, limit.windowMs]);
}

function mostOf(limit: Limit | undefined): number {
  if (limit?.kind === 'rate') return limit.maxCalls;
  if (limit?.kind === 'budget') return limit.maxMicros ?? Number.POSITIVE_INFINITY;
  return limit !== undefined && 'most' in limit ? limit.most : 0;
}

test('an allowlist of several policies allows the names that all of them match; a denylist denies the names that any matches', () => {
  const glob = fc
    .array(fc.constantFrom('a', 'b', '.', '*'), { minLength: 1, maxLength: 4 })
    .map((all) => all.join(''));
  const lists = fc.record({
    allowedTools: fc.array(glob, { maxLength: 3 }),
    deniedTools: fc.array(glob, { maxLength: 1 }),
  });
  fc.assert(
    fc.property(fc.array(lists, { minLength: 1, maxLength: 3 }), (fields) => {
      const mandate = composed(named(fields));
      for (const tool of EVERY_NAME) {
        const action = { id: 'x', agentId: 'a', type: 'tool_call' as const, tool };
        const isAllowed = fields.every(
          ({ allowedTools, deniedTools }) =>
            allowedTools.some((one) => matchesByTable(one, tool)) &&
            !deniedTools.some((one) => matchesByTable(one, tool)),
        );
        expect({ tool, isAllowed: plan(action, mandate, START_MS).refusal === null }).toEqual({
          tool,
          isAllowed,
        });
      }
    }),
    { numRuns: runs(60) },
  );
});

/** Every name of up to four letters that can be made of these letters. */
const EVERY_NAME = [1, 2, 3, 4].flatMap((length) =>
  Array.from({ length: 3 ** length }, (_, number) =>
    Array.from({ length }, (_, at) => 'ab.'[Math.floor(number / 3 ** at) % 3]).join(''),
  ),
);

test('a missing policy allows nothing, whatever the other policies allow', () => {
  fc.assert(
    fc.property(arbitraryPolicies, arbitraryAction, (policies, action) => {
      const { refusal, observe } = plan(
        action,
        composed([...policies, missingPolicy('gone', '0gone@4')]),
        START_MS,
      );
      expect({ code: refusal?.code, observe }).toEqual({ code: 'MANDATE_NOT_FOUND', observe: false });
    }),
    { numRuns: runs(60) },
  );
});

test('an empty list of policies gives no mandate', () => {
  expect(compose('m', [])).toBeNull();
});

test('a check and a limit name the policy from which they come', () => {
  const mandate = composed([
    policyOf({ allowedTools: ['read_*'], maxCostTotal: 5 }, 'readers@2'),
    policyOf(
      {
        allowedTools: ['read_file', 'send'],
        maxCostTotal: 3,
        rateLimit: { maxCalls: 10, windowMs: 3_600_000 },
      },
      'files@9',
    ),
  ]);
  const call = (tool: string) => plan({ id: 'x', agentId: 'a', type: 'tool_call', tool }, mandate, START_MS);
  expect(call('read_file')).toMatchObject({
    refusal: null,
    checks: [
      { check: 'tool-allowed', result: 'pass', policy: 'files@9', evidence: { pattern: 'read_file' } },
      { check: 'tool-allowed', result: 'pass', policy: 'readers@2', evidence: { pattern: 'read_*' } },
    ],
    limits: [
      {
        kind: 'budget',
        id: 'total',
        maxMicros: 3_000_000,
        policy: 'files@9',
        otherLimits: [{ policy: 'readers@2', maxMicros: 5_000_000 }],
      },
      { kind: 'rate', maxCalls: 10, policy: 'files@9' },
      {
        kind: 'rate',
        tool: '',
        maxCalls: 20,
        policy: 'files@9',
        otherLimits: [{ policy: 'readers@2', maxCalls: 20 }],
      },
    ],
    mandate: { id: 'm', policies: ['files@9', 'readers@2'] },
  });
  expect(call('read_mail')).toMatchObject({
    refusal: {
      code: 'TOOL_NOT_ALLOWED',
      reason:
        'No pattern of allowedTools matches the tool "read_mail". This comes from the policy "files@9".',
    },
    checks: [
      { result: 'block', policy: 'files@9' },
      { result: 'pass', policy: 'readers@2' },
    ],
  });
});
