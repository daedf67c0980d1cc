/**
 * Tests the rates of persons: no window has more calls for a person than the rate allows, whichever agent calls, and
 * `retryAfterMs` is exact.
 */
import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { asking, type Box, deciderInABox, decisionOf } from '../decider-in-a-box.ts';

// The timeout is long: each test runs many random cases, which takes about a second, and more on a busy machine.
vi.setConfig({ testTimeout: 30_000 });

const rate = fc.record({
  maxCalls: fc.integer({ min: 1, max: 3 }),
  windowMs: fc.integer({ min: 1, max: 3_000 }),
  scope: fc.constant('principal'),
});
const mandate = fc.record(
  { rateLimit: rate, toolPolicies: fc.record({ pay: fc.record({ rateLimit: rate }) }) },
  { requiredKeys: ['toolPolicies'] },
);
/** A person may have the id of an agent. `undefined`: the agent acts for nobody. */
const person = fc.constantFrom('ann', 'ann', 'agent-1', undefined);
const calls = fc.array(
  fc.record({
    afterMs: fc.nat(600),
    agentId: fc.constantFrom('agent-1', 'agent-2', 'agent-3'),
    person,
    role: fc.constantFrom('user', 'admin'),
    tool: fc.constantFrom('pay', 'pay', 'send'),
  }),
  { minLength: 4, maxLength: 16 },
);
type Call = typeof calls extends fc.Arbitrary<(infer C)[]> ? C : never;

async function ask(box: Box, id: string, call: Call, attempt = 1) {
  const { agentId, person, role, tool } = call;
  const action = {
    id,
    agentId,
    tool,
    attempt,
    ...(person !== undefined && { principal: { id: person, role } }),
  };
  const [answer] = await box.answer([box.append(asking(action))]);
  return decisionOf(answer);
}

test('no sliding window has more calls for a person than the rate allows, whichever agent calls', async () => {
  let [allowed, refused] = [0, 0];
  await fc.assert(
    fc.asyncProperty(mandate, calls, async ({ rateLimit, toolPolicies }, made) => {
      const box = deciderInABox([{ rateLimit, toolPolicies }]);
      const passed: { atMs: number; person: string | undefined; tool: string }[] = [];
      const within = (of: { person: string | undefined }, atMs: number, windowMs: number, tool?: string) =>
        passed.filter(
          (one) =>
            one.person === of.person &&
            one.atMs > atMs - windowMs &&
            (tool === undefined || one.tool === tool),
        ).length;
      for (const [at, call] of made.entries()) {
        box.clock.advance(call.afterMs);
        const atMs = box.clock();
        const ofTool = call.tool === 'pay' ? toolPolicies.pay.rateLimit : undefined;
        const fits =
          (rateLimit === undefined || within(call, atMs, rateLimit.windowMs) < rateLimit.maxCalls) &&
          (ofTool === undefined || within(call, atMs, ofTool.windowMs, 'pay') < ofTool.maxCalls);
        const { verdict, code } = await ask(box, `a${at}`, call);
        expect({ verdict, code }).toEqual(
          fits ? { verdict: 'ALLOW', code: 'ALLOWED' } : { verdict: 'BLOCK', code: 'RATE_LIMIT_EXCEEDED' },
        );
        if (fits) passed.push({ atMs, person: call.person, tool: call.tool });
      }
      allowed += passed.length;
      refused += made.length - passed.length;
    }),
    { numRuns: 60 },
  );
  expect(Math.min(allowed, refused), 'the law was put to the test').toBeGreaterThan(50);
});

test('one millisecond before `retryAfterMs` a call for the person is refused, and at this time it is allowed', async () => {
  let waits = 0;
  await fc.assert(
    fc.asyncProperty(mandate, calls, async (fields, made) => {
      const box = deciderInABox([fields], { replayMemoryMs: 1e9 });
      for (const [at, call] of made.entries()) {
        box.clock.advance(call.afterMs);
        const { verdict, retryAfterMs, final } = await ask(box, `a${at}`, call);
        if (verdict === 'ALLOW') continue;
        expect(final).toBe(false);
        waits += 1;
        box.clock.advance((retryAfterMs ?? 0) - 1);
        if (retryAfterMs !== 1)
          expect(await ask(box, `a${at}`, call, 2)).toMatchObject({ verdict: 'BLOCK', retryAfterMs: 1 });
        box.clock.advance(1);
        expect(await ask(box, `a${at}`, call, 3)).toMatchObject({ verdict: 'ALLOW' });
      }
    }),
    { numRuns: 40 },
  );
  expect(waits, 'the law was put to the test').toBeGreaterThan(20);
});
