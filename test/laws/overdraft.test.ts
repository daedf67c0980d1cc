/**
 * Tests that one agent cannot overdraw a shared budget: it is charged at most ten times the agent's own budget, and a
 * dollar for each of twenty calls that reserve nothing. This is true for all calls and reports of the agent (ADR 45,
 * ADR 46).
 */

import { DEFAULTS } from '@mandate/schemas';
import { runs } from '@mandate/testing';
import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { asking, deciderInABox, decisionOf, reporting, settlementOf } from '../decider-in-a-box.ts';

// The timeout is long: the test runs many random cases, which takes more time on a busy machine.
vi.setConfig({ testTimeout: 60_000 });

const OWN_MICROS = 100_000;
const MANDATE = {
  maxCostTotal: OWN_MICROS / 1_000_000,
  budgets: [{ id: 'team', scope: 'tenant', max: 1_000_000 }],
  toolPolicies: { priced: { cost: 0.01 } },
};

const call = fc.record({
  tool: fc.constantFrom('priced', 'unpriced'),
  estimatedCostMicros: fc.constantFrom(0, 1, 9, 5_000, 60_000),
  copies: fc.constantFrom(1, 1, 5, 30),
});
const report = fc.record({
  status: fc.constantFrom('success', 'success', 'failure', 'cancelled'),
  actualCostMicros: fc.constantFrom(0, 1, 20_000, 1_000_000, Number.MAX_SAFE_INTEGER),
});
/** The rounds of a test. Each round starts calls, then reports on all open calls. */
const rounds = fc.array(fc.record({ calls: fc.array(call, { minLength: 1, maxLength: 6 }), report }), {
  minLength: 1,
  maxLength: 4,
});

type Round = {
  calls: { tool: string; estimatedCostMicros: number; copies: number }[];
  report: { status: string; actualCostMicros: number };
};

/** Returns the amount that was charged to the tenant's budget, in micro-dollars. */
async function chargedToTeam(given: readonly Round[]): Promise<number> {
  const box = deciderInABox([MANDATE]);
  let calls = 0;
  for (const { calls: started, report } of given) {
    const open: string[] = [];
    for (const { copies, ...said } of started) {
      for (let copy = 0; copy < copies; copy += 1) {
        calls += 1;
        const actionId = `a${calls}`;
        const [answer] = await box.answer([box.append(asking({ id: actionId, ...said }))]);
        if (decisionOf(answer).verdict === 'ALLOW') open.push(actionId);
      }
    }
    for (const actionId of open) {
      const reportedBy = { keyId: 'own', mayRelease: false };
      const [answer] = await box.answer([box.append(reporting({ actionId, ...report, reportedBy }))]);
      settlementOf(answer);
    }
  }
  const balances = await box.ledger.balances(DEFAULTS.tenant);
  return balances.find(({ budget }) => budget.scope === 'tenant')?.spent ?? 0;
}

const MOST_MICROS = DEFAULTS.actualCostFactor * OWN_MICROS + DEFAULTS.maxOpen * DEFAULTS.actualCostMicros;

test('one agent charges a shared budget at most ten times its own budget, and a dollar for each of twenty calls without a reservation', async () => {
  let most = 0;
  await fc.assert(
    fc.asyncProperty(rounds, async (given) => {
      const micros = await chargedToTeam(given);
      most = Math.max(most, micros);
      expect(micros).toBeLessThanOrEqual(MOST_MICROS);
    }),
    { numRuns: runs(150) },
  );
  expect(most, 'the budget was overdrawn').toBeGreaterThan(OWN_MICROS);
});

test('a call with an estimate of one micro-dollar charges at most ten micro-dollars, however many calls are open', async () => {
  const calls = [{ tool: 'unpriced', estimatedCostMicros: 1, copies: 300 }];
  const report = { status: 'success', actualCostMicros: 1_000_000 };
  expect(await chargedToTeam([{ calls, report }])).toBe(3_000);
});
