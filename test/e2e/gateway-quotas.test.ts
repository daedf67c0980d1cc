/**
 * Tests over HTTP, with a real log and decider, how much callers may publish, and how agents that are refused too
 * often must wait.
 */
import { readAccessRecord, TOPICS } from '@mandate/schemas';
import { waitUntil } from '@mandate/testing';
import { expect, test } from 'vitest';
import { recordsOf, startGatewayPlane } from './support/gateway-plane.ts';

const MANDATES = 'version: 1\nid: bots\nagents: ["*"]\nmaxCostTotal: 1.00\ndeniedTools: [forbidden]\n';

const actions = (from: number, many: number, tool: string, agentId = 'bot-1') =>
  Array.from({ length: many }, (_, at) => ({
    id: `${agentId}-${from + at}`,
    agentId,
    type: 'tool_call',
    tool,
  }));

test('a list beyond the quota of its key is refused completely with the time to wait, and another key can still publish', async () => {
  const quotas = { publishPerKey: { records: { perSecond: 1, burst: 10 } } };
  const plane = await startGatewayPlane({ mandates: MANDATES, quotas });
  const publish = (key: 'publisher' | 'owner', from: number, many: number) =>
    plane.call(key, 'POST', '/v1/actions', actions(from, many, 'look'));
  expect((await publish('publisher', 0, 8)).status).toBe(202);
  const { status, body, headers } = await publish('publisher', 8, 8);
  expect([status, body.code, body.quota, body.of]).toEqual([
    429,
    'TOO_MANY_RECORDS',
    'publish.records',
    'key',
  ]);
  const waitMs = Number(body.retryAfterMs);
  expect(waitMs).toBeGreaterThan(0);
  expect(waitMs).toBeLessThanOrEqual(6_000);
  expect(headers.get('retry-after')).toBe(String(Math.ceil(waitMs / 1_000)));
  expect(await plane.published()).toHaveLength(8);
  expect((await publish('publisher', 20, 2)).status).toBe(202);
  expect((await publish('owner', 30, 8)).status).toBe(202);
  expect(await plane.published()).toHaveLength(18);
});

test('after a short time, a flood of blocked actions adds nothing to the log, is recorded, and slows down no other agent', async () => {
  const quotas = { refusalsPerAgent: { perSecond: 0, burst: 40 } };
  const plane = await startGatewayPlane({ mandates: MANDATES, quotas });
  await plane.decide();
  let held = 0;
  for (let round = 0; round < 50; round += 1) {
    const sent = actions(round * 10, 10, 'forbidden');
    const { status, body } = await plane.call('publisher', 'POST', '/v1/actions', sent);
    expect([202, 429]).toContain(status);
    if (status === 202) continue;
    expect(body).toMatchObject({ code: 'TOO_MANY_REFUSALS', agentId: 'bot-1', of: 'agent' });
    held += 1;
    await waitUntil('all decisions', async () => {
      return (await plane.decided()).length >= (await plane.published()).length;
    });
  }
  expect(held).toBeGreaterThan(20);
  expect((await plane.published()).length).toBeLessThan(300);
  const honest = await plane.call(
    'publisher',
    'POST',
    '/v1/actions?waitMs=20000',
    actions(0, 5, 'look', 'bot-2'),
  );
  expect(honest.status).toBe(200);
  await waitUntil('a record of the first of those that were refused', async () => {
    const records = (await recordsOf(plane.bus, TOPICS.access)).map(({ value }) => readAccessRecord(value));
    return records.some(({ read }) => read.code === 'TOO_MANY_REFUSALS' && read.parameters.agent === 'bot-1');
  });
});
