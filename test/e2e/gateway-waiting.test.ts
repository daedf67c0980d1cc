/**
 * Tests that the plane serves other callers although many callers wait. Each wait for a decision uses one of a
 * limited number of places, and without a decider no wait ends.
 */
import { expect, test } from 'vitest';
import { waitingRequests } from '../faults/attacks/waiting-requests.ts';
import { startGatewayPlane } from './support/gateway-plane.ts';

const MANDATES = 'version: 1\nid: all\nagents: ["*"]\n';

test('a key that waits as often as possible prevents neither waits of other keys nor kills by operators', async () => {
  // One key may use a quarter of the 1,000 places: 250.
  const plane = await startGatewayPlane({ mandates: MANDATES, settings: { GATEWAY_MAX_WAITING: 1_000 } });
  const waiting = async () =>
    Number(/^mandate_gateway_waiting_answers\S* (\d+)$/m.exec(await plane.metrics.registry.metrics())?.[1]);
  const over = new AbortController();
  const attacking = waitingRequests(5)({ url: plane.url, keys: [plane.key('owner')] }, over.signal);
  await expect.poll(waiting, { timeout: 20_000 }).toBeGreaterThan(100);
  for (let n = 0; n < 5; n += 1) {
    const action = { id: `a-${n}`, agentId: 'bot', type: 'tool_call', tool: 'look' };
    expect(await plane.call('stranger', 'POST', '/v1/actions?waitMs=50', action)).toMatchObject({
      status: 202,
    });
    expect(
      await plane.call('publisher', 'POST', '/v1/actions?waitMs=50', { ...action, agentId: 'bot-1' }),
    ).toMatchObject({
      status: 202,
    });
    const reason = 'a test';
    expect(await plane.call('operator', 'POST', '/v1/agents/bot/kill', { reason })).toMatchObject({
      status: 200,
    });
    expect(await plane.call('operator', 'POST', '/v1/agents/bot/revive', { reason })).toMatchObject({
      status: 200,
    });
  }
  expect(await waiting()).toBeLessThanOrEqual(250);
  over.abort();
  await attacking;
});
