/** Tests checks of results. */
import { expect, test } from 'vitest';
import type { RunOptions } from '../types.ts';
import { type AgentUnder, costing, refusalOf, untilAborted } from './scene.ts';

export function verification(agentUnder: AgentUnder): void {
  const tiers = { type: 'TIERED', attempt: 1, success: 2, verification: 4 } as const;

  test('a verified result is charged as verified, and an unchecked result as a success', async () => {
    const { tools, mandate, agentId } = await agentUnder({ defaultChargingPolicy: tiers });
    expect(await tools.run('pay', {}, () => 'paid', { verifyResult: (is) => is === 'paid' })).toBe('paid');
    expect(await mandate.getCost(agentId)).toEqual(costing(7));
    await tools.run('pay', {}, () => 'paid');
    expect(await mandate.getCost(agentId)).toEqual(costing(10));
  });

  test.each<[string, RunOptions]>([
    ['is refused', { verifyResult: () => false }],
    ['gets no clear answer', { verifyResult: () => 'yes' as never }],
    [
      'makes the check throw',
      {
        verifyResult: () => {
          throw new Error('no receipt');
        },
      },
    ],
    [
      'is not checked in time',
      { verifyResult: (_result, { signal }) => untilAborted({}, signal), verifyTimeoutMs: 10 },
    ],
  ])('a result that %s is charged as a failure, and refused', async (_what, options) => {
    const { tools, mandate, agentId } = await agentUnder({ defaultChargingPolicy: tiers });
    const refused = await refusalOf(tools.run('pay', {}, () => 'paid', options as RunOptions<string>));
    expect(refused).toMatchObject({ code: 'VERIFICATION_FAILED', retryable: false, agentId });
    expect(await mandate.getCost(agentId)).toEqual(costing(1));
  });
}
