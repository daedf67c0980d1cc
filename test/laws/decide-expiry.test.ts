/** Tests that a mandate ends by the ledger's clock, to the millisecond, whatever the decider's own clock says. */
import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { asking, deciderInABox, decisionOf, START_MS } from '../decider-in-a-box.ts';

// The timeout is long: each test runs many random cases, which takes about a second, and more on a busy machine.
vi.setConfig({ testTimeout: 30_000 });

const skewMs = fc.oneof(fc.integer({ min: -5, max: 5 }), fc.integer({ min: -100_000, max: 100_000 }));

test('a mandate expires at the exact millisecond, whatever the decider’s clock says', async () => {
  await fc.assert(
    fc.asyncProperty(
      skewMs,
      fc.array(fc.integer({ min: 0, max: 20 }), { minLength: 1, maxLength: 8 }),
      async (skew, steps) => {
        const box = deciderInABox([
          { expiresAt: new Date(START_MS + 20).toISOString(), rateLimit: { maxCalls: 100, windowMs: 1 } },
        ]);
        box.context.clock = () => box.clock() + skew;
        for (const [at, stepMs] of steps.entries()) {
          box.clock.advance(stepMs);
          const batch = ['x', 'y'].map((agentId) => box.append(asking({ id: `a${at}`, agentId })));
          const expected = box.clock() >= START_MS + 20 ? 'MANDATE_EXPIRED' : 'ALLOWED';
          const answers = await box.answer(batch);
          expect(answers.map((answer) => decisionOf(answer).code)).toEqual([expected, expected]);
        }
      },
    ),
    { numRuns: 40 },
  );
});

test('an action that must be planned again is still decided in its agent’s order', async () => {
  const box = deciderInABox([
    {
      expiresAt: new Date(START_MS + 1_000).toISOString(),
      maxCostTotal: 0.2,
      toolPolicies: { get_user: { cost: 0.1 } },
    },
  ]);
  box.context.clock = () => box.clock() + 5_000;
  const answers = await box.answer(['a', 'b', 'c'].map((id) => box.append(asking({ id }))));
  expect(
    answers
      .map((answer) => decisionOf(answer))
      .map(({ actionId, code, ledgerSequence }) => [actionId, code, ledgerSequence]),
  ).toEqual([
    ['a', 'ALLOWED', 1],
    ['b', 'ALLOWED', 2],
    ['c', 'COST_LIMIT_EXCEEDED', 3],
  ]);
});
