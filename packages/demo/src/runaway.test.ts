import { setImmediate } from 'node:timers/promises';
import type { ApiClient } from '@mandate/client';
import { buildDecision } from '@mandate/testing';
import { expect, test } from 'vitest';
import type { GovernedAgent } from './governed-agent.ts';
import { inWords, stopRunaway } from './runaway.ts';

/**
 * Simulates a kill that takes effect before the operator gets the answer. Calls between these two moments may be
 * withheld.
 */
async function stopping({ withheldFirst }: { withheldFirst: boolean }) {
  let isKilled = false;
  const refused = { onLog: 0, withheld: 0 };
  const runaway: GovernedAgent = {
    id: 'runaway',
    async act() {
      await setImmediate();
      const withheld = isKilled && withheldFirst && refused.withheld === 0;
      if (withheld) refused.withheld++;
      else if (isKilled) refused.onLog++;
      const decision = buildDecision(1, { appendedAtMs: 0 });
      return { decision, settlement: null, ran: !isKilled, withheld, result: '' };
    },
  };
  const post = async () => {
    isKilled = true;
    while (refused.onLog < 3) await setImmediate();
  };
  const stopped = await stopRunaway(runaway, { post } as unknown as ApiClient);
  return { stopped, refused };
}

test.each([true, false])('counts every refusal once, and agrees with the log', async (withheldFirst) => {
  const { stopped, refused } = await stopping({ withheldFirst });
  expect(stopped).toMatchObject({ askedAfter: 40, ranAfter: 0, withheldMeanwhile: refused.withheld });
  expect(stopped.refusedMeanwhile).toBeGreaterThanOrEqual(2);
  expect(stopped.refusedMeanwhile + stopped.askedAfter).toBe(refused.onLog);
});

test('prints no line about calls during the kill if there were none', () => {
  const stopped = { allowedBefore: 40, killMs: 1.25, askedAfter: 40, ranAfter: 0 };
  expect(inWords({ ...stopped, refusedMeanwhile: 1, withheldMeanwhile: 0 })).toEqual([
    'The operator killed the agent after 40 calls. The kill switch answered in 1.3 ms.',
    'Calls that the agent sent before this answer: 1 refused.',
    'After the kill the agent sent 40 calls. 0 of them ran.',
  ]);
  expect(inWords({ ...stopped, refusedMeanwhile: 0, withheldMeanwhile: 0 })).toHaveLength(2);
});
