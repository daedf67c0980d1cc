/**
 * Tests the stream of kills over HTTP. A client receives kills of its agents, of its tenant and of everything at
 * once. The stream only saves time: without it, the ledger still refuses killed agents.
 */
import { waitUntil } from '@mandate/testing';
import { expect, onTestFinished, test } from 'vitest';
import { type KeyName, startGatewayPlane } from './support/gateway-plane.ts';
import { listenToKills } from './support/kill-events.ts';

async function scene() {
  const plane = await startGatewayPlane({ mandates: 'version: 1\nid: m\nagents: ["*"]\n' });
  const listen = async (key: KeyName) => {
    const stream = await listenToKills(plane.url, plane.key(key));
    onTestFinished(stream.leave);
    await waitUntil('the flags', () => stream.events.length > 0);
    return stream;
  };
  const kill = (agentId: string) => plane.call('operator', 'POST', `/v1/agents/${agentId}/kill`, {});
  return { plane, listen, kill };
}

const agent = (agentId: string) => ({ scope: 'agent', tenant: 'acme', agentId });

test('begins with the kills in force, and then delivers each kill and each revive', async () => {
  const { plane, listen, kill } = await scene();
  await kill('bot-1');
  const { events } = await listen('operator');
  await kill('other');
  await plane.call('operator', 'POST', '/v1/agents/other/revive', {});
  await waitUntil('both', () => events.filter(({ event }) => event !== 'flags').length === 2);
  expect(events[0]).toMatchObject({ event: 'flags', data: { killed: [{ target: agent('bot-1') }] } });
  expect(events.filter(({ event }) => event !== 'flags')).toEqual([
    { event: 'killed', data: { target: agent('other'), revision: 1 } },
    { event: 'revived', data: { target: agent('other'), revision: 2 } },
  ]);
});

test('delivers kills of their own agents to publishers, no kill of another tenant, and the kill of everything to all', async () => {
  const { plane, listen, kill } = await scene();
  const [publisher, stranger] = [await listen('publisher'), await listen('stranger')];
  await kill('other');
  await kill('bot-1');
  await plane.call('owner', 'POST', '/v1/kill', { scope: 'all' });
  const targetsIn = ({ events }: typeof publisher) =>
    events.flatMap(({ event, data }) => (event === 'killed' ? [data.target] : []));
  await waitUntil('the last', () => [publisher, stranger].every((each) => targetsIn(each).some(isAll)));
  expect(targetsIn(publisher)).toEqual([agent('bot-1'), { scope: 'all' }]);
  expect(targetsIn(stranger)).toEqual([{ scope: 'all' }]);
});

test('shows an auditor every switch of its tenant, but not who pulled it', async () => {
  const { listen, kill } = await scene();
  await kill('bot-1');
  const [auditor, stranger] = [await listen('auditor'), await listen('stranger')];
  await kill('other');
  await waitUntil('the kill', () => auditor.events.some(({ event }) => event === 'killed'));
  const flag = { scope: 'agent', revision: 1, reason: 'killed by an operator', target: agent('bot-1') };
  expect(auditor.events[0]?.data).toEqual({ killed: [flag] });
  expect(stranger.events.filter(({ event }) => event !== 'flags')).toEqual([]);
  expect(stranger.events[0]?.data).toEqual({ killed: [] });
});

test('needs a key with publish, audit or operate, and ends when the gateway stops', async () => {
  const { plane, listen } = await scene();
  expect((await listenToKills(plane.url, plane.key('protector'))).status).toBe(403);
  const { ended } = await listen('operator');
  await plane.server.close();
  await ended;
});

test('ends when its key is revoked, while streams of other keys continue', async () => {
  const { plane, listen, kill } = await scene();
  const [publisher, operator] = [await listen('publisher'), await listen('operator')];
  plane.revoke('publisher');
  await publisher.ended;
  await kill('bot-1');
  await waitUntil('the kill', () => operator.events.some(({ event }) => event === 'killed'));
  expect(publisher.events.map(({ event }) => event)).not.toContain('killed');
});

function isAll(target: unknown): boolean {
  return (target as { scope: string }).scope === 'all';
}
