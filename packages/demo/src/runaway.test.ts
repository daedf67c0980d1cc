import { setImmediate } from 'node:timers/promises';
import type { ApiClient } from '@mandate/client';
import { buildDecision } from '@mandate/testing';
import { expect, test } from 'vitest';
import type { GovernedAgent } from './governed-agent.ts';
import { inWords, stopRunaway } from './runaway.ts';

/**
 * Simulates a kill that takes effect before the operator gets the answer. A call that was allowed before may be stopped.
 *
 * @param leaks whether calls reach the server although they are refused
 */
async function stopping({ stopsFirst = false, leaks = false }) {
  let isKilled = false;
  const refused = { onLog: 0, stopped: 0 };
  const reached = new Set<unknown>();
  const runaway: GovernedAgent = {
    id: 'runaway',
    async act(_tool, { message }) {
      await setImmediate();
      if (!isKilled || leaks) reached.add(message);
      const wasStopped = isKilled && stopsFirst && refused.stopped === 0;
      if (wasStopped) refused.stopped++;
      else if (isKilled) refused.onLog++;
      return { decision: buildDecision(1, { appendedAtMs: 0 }), ran: !isKilled, stopped: wasStopped };
    },
    settlement: () => Promise.reject(new Error('nobody asks')),
  };
  const post = async () => {
    isKilled = true;
    while (refused.onLog < 3) await setImmediate();
  };
  const stopped = await stopRunaway(runaway, { post } as unknown as ApiClient, () => reached);
  return { stopped, refused };
}

test.each([true, false])('counts every refusal once, and agrees with the log', async (stopsFirst) => {
  const { stopped, refused } = await stopping({ stopsFirst });
  expect(stopped).toMatchObject({ askedAfter: 40, ranAfter: 0, stoppedMeanwhile: refused.stopped });
  expect(stopped.refusedMeanwhile).toBeGreaterThanOrEqual(2);
  expect(stopped.refusedMeanwhile + stopped.askedAfter).toBe(refused.onLog);
});

test('finds each call after the kill that reached the server', async () => {
  const { stopped } = await stopping({ leaks: true });
  expect(stopped).toMatchObject({ askedAfter: 40, ranAfter: 40 });
});

test('prints no line about calls during the kill if there were none', () => {
  const stopped = { allowedBefore: 40, killMs: 1.25, askedAfter: 40, ranAfter: 0 };
  expect(inWords({ ...stopped, refusedMeanwhile: 1, stoppedMeanwhile: 0 })).toEqual([
    'The operator killed the agent after 40 calls. The kill switch answered in 1.3 ms.',
    'Calls that the agent sent before this answer: 1 refused.',
    'After the kill the agent sent 40 calls. 0 of them reached the server.',
  ]);
  expect(inWords({ ...stopped, refusedMeanwhile: 0, stoppedMeanwhile: 0 })).toHaveLength(2);
});
