/**
 * Tests that `retryAfterMs` is exact for any mix of windows: one millisecond earlier is refused, at that time is
 * allowed.
 */
import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { asking, type Box, deciderInABox, decisionOf } from '../decider-in-a-box.ts';

// The timeout is long: each test runs many random cases, which takes about a second, and more on a busy machine.
vi.setConfig({ testTimeout: 30_000 });

const windowMs = fc.integer({ min: 1, max: 5_000 });
const rate = fc.record({ maxCalls: fc.integer({ min: 1, max: 4 }), windowMs });
const mandate = fc.record(
  {
    rateLimit: rate,
    budgets: fc.uniqueArray(
      fc.record({
        id: fc.constantFrom('a', 'b', 'c'),
        scope: fc.constant('agent'),
        max: fc.constantFrom(0.3, 0.5, 1),
        windowMs,
      }),
      { maxLength: 3, selector: ({ id }) => id },
    ),
    toolPolicies: fc.record({ get_user: fc.record({ cost: fc.constantFrom(0, 0.1, 0.3), rateLimit: rate }) }),
  },
  { requiredKeys: [] },
);
const calls = fc.array(
  fc.record({
    afterMs: fc.nat(2_000),
    micros: fc.constantFrom(0, 1, 100_000, 300_000),
    tool: fc.constantFrom('get_user', 'other'),
  }),
  { minLength: 2, maxLength: 12 },
);

async function ask(box: Box, action: { id: string; [field: string]: unknown }) {
  const [answer] = await box.answer([box.append(asking(action))]);
  return decisionOf(answer);
}

test('one millisecond before `retryAfterMs` a call is refused, and at this time it is allowed', async () => {
  let waits = 0;
  await fc.assert(
    fc.asyncProperty(mandate, calls, async (fields, made) => {
      const box = deciderInABox([fields], { replayMemoryMs: 1e9 });
      for (const [at, { afterMs, micros, tool }] of made.entries()) {
        box.clock.advance(afterMs);
        const call = { id: `a${at}`, tool, estimatedCostMicros: micros };
        const { verdict, final, retryAfterMs } = await ask(box, call);
        if (verdict === 'ALLOW') continue;
        expect(final).toBe(retryAfterMs === null);
        if (retryAfterMs === null) continue;
        waits += 1;
        expect(retryAfterMs).toBeGreaterThan(0);
        box.clock.advance(retryAfterMs - 1);
        if (retryAfterMs > 1) {
          expect(await ask(box, { ...call, attempt: 2 })).toMatchObject({
            verdict: 'BLOCK',
            retryAfterMs: 1,
          });
        }
        box.clock.advance(1);
        expect(await ask(box, { ...call, attempt: 3 })).toMatchObject({ verdict: 'ALLOW' });
      }
    }),
    { numRuns: 50 },
  );
  expect(waits, 'the law was put to the test').toBeGreaterThan(10);
});

test('no sliding window ever has more than its limit', async () => {
  await fc.assert(
    fc.asyncProperty(mandate, calls, async (fields, made) => {
      const box = deciderInABox([fields]);
      const allowed: { atMs: number; micros: number; tool: string | null }[] = [];
      for (const [at, { afterMs, micros, tool }] of made.entries()) {
        box.clock.advance(Math.floor(afterMs / 4));
        const { verdict, chargedMicros } = await ask(box, {
          id: `a${at}`,
          tool,
          estimatedCostMicros: micros,
        });
        if (verdict === 'ALLOW') allowed.push({ atMs: box.clock(), micros: chargedMicros, tool });
      }
      const within = (last: number, windowMs: number) =>
        allowed.filter(({ atMs }) => atMs <= last && atMs > last - windowMs);
      for (const { atMs } of allowed) {
        const { rateLimit, budgets = [], toolPolicies } = fields;
        if (rateLimit !== undefined) {
          expect(within(atMs, rateLimit.windowMs).length).toBeLessThanOrEqual(rateLimit.maxCalls);
        }
        if (toolPolicies !== undefined) {
          const { maxCalls, windowMs } = toolPolicies.get_user.rateLimit;
          const ofTool = within(atMs, windowMs).filter(({ tool }) => tool === 'get_user');
          expect(ofTool.length).toBeLessThanOrEqual(maxCalls);
        }
        for (const { max, windowMs } of budgets) {
          const sum = within(atMs, windowMs).reduce((spent, { micros }) => spent + micros, 0);
          expect(sum).toBeLessThanOrEqual(max * 1e6);
        }
      }
    }),
    { numRuns: 30 },
  );
});
