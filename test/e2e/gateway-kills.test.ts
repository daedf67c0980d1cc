/** Tests GET /v1/kills over HTTP: the kill switches that are on now, as the ledger has them. */
import { restoreLedger } from '@mandate/ledger-log';
import { silentLogger, systemClock } from '@mandate/runtime';
import { readAccessRecord, TOPICS } from '@mandate/schemas';
import { expect, test } from 'vitest';
import { type KeyName, type Plane, recordsOf, startGatewayPlane } from './support/gateway-plane.ts';

const MANDATES = 'version: 1\nid: m\nagents: ["*"]\n';

type Killed = { target: object; commandId: string; sequences: Record<string, number> };

async function kill(plane: Plane, agentId: string, body: object = {}): Promise<Killed> {
  const { body: killed } = await plane.call('operator', 'POST', `/v1/agents/${agentId}/kill`, body);
  return killed as unknown as Killed;
}

type Answer = {
  code?: string;
  count: number;
  kills: { target: { agentId?: string }; since: string }[];
  next: string | null;
};

async function list(plane: Plane, key: KeyName, query = ''): Promise<{ status: number; body: Answer }> {
  const { status, body } = await plane.call(key, 'GET', `/v1/kills${query}`);
  return { status, body: body as unknown as Answer };
}

const operator = expect.stringMatching(/^operator \(\w{12}\)$/);

test('lists each switch that is on: what it stops, who pulled it, why, since when, and the last sequence of an ALLOW', async () => {
  const plane = await startGatewayPlane({ mandates: MANDATES });
  await plane.decide();
  const look = { id: 'a-1', agentId: 'bot-1', type: 'tool_call', tool: 'look' };
  await plane.call('publisher', 'POST', '/v1/actions?waitMs=20000', look);
  const one = await kill(plane, 'bot-1', { reason: 'runs amok' });
  const two = await kill(plane, 'lead', { subtree: true });
  const three = (await plane.call('owner', 'POST', '/v1/kill', { scope: 'all', reason: 'incident' })).body;
  await kill(plane, 'well');
  await plane.call('operator', 'POST', '/v1/agents/well/revive', {});

  const { status, body } = await list(plane, 'auditor');
  expect(status).toBe(200);
  expect(new Set(body.kills)).toEqual(
    new Set([
      {
        ...{ target: one.target, revision: 1, commandId: one.commandId, by: operator, reason: 'runs amok' },
        ...{ since: expect.any(String), sequence: one.sequences.acme },
      },
      {
        ...{ target: two.target, revision: 1, commandId: two.commandId, by: operator },
        ...{ reason: 'killed by an operator', since: expect.any(String), sequence: two.sequences.acme },
      },
      {
        ...{ target: { scope: 'all' }, revision: 1, commandId: three.commandId, reason: 'incident' },
        ...{ by: expect.stringContaining('owner'), since: expect.any(String), sequence: null },
      },
    ]),
  );
  expect(one.sequences.acme).toBe(2);
  const times = body.kills.map(({ since }) => since);
  expect(times).toEqual(times.toSorted().reverse());
  expect([body.count, body.next]).toEqual([3, null]);
  expect((await list(plane, 'operator')).body.kills).toEqual(body.kills);
});

test('a ledger that is rebuilt from the log lists the same kills', async () => {
  const plane = await startGatewayPlane({ mandates: MANDATES });
  await kill(plane, 'bot-1', { reason: 'runs amok' });
  await kill(plane, 'lead', { subtree: true });
  const { ledger } = await restoreLedger({ bus: plane.bus, clock: systemClock, log: silentLogger() });
  const untimed = (kills: readonly object[]) =>
    new Set(kills.map((each) => ({ ...each, atMs: expect.any(Number) })));
  expect(new Set(await ledger.killed('acme'))).toEqual(untimed(await plane.ledger.killed('acme')));
  await ledger.close();
});

test('lists kills in pages, so that each kill is on one page', async () => {
  const plane = await startGatewayPlane({ mandates: MANDATES });
  const agents = ['bot-1', 'bot-2', 'bot-3', 'bot-4', 'bot-5'];
  await Promise.all(agents.map((agentId) => kill(plane, agentId)));
  const seen: (string | undefined)[] = [];
  let query = '?limit=2';
  for (let pages = 0; pages < 3; pages += 1) {
    const { body } = await list(plane, 'auditor', query);
    expect(body.count).toBe(5);
    seen.push(...body.kills.map(({ target }) => target.agentId));
    query = `?limit=2&cursor=${body.next}`;
  }
  expect(seen).toHaveLength(5);
  expect(seen.toSorted()).toEqual(agents);
});

test('shows a tenant only its own switches, refuses keys without the scope, and records each read', async () => {
  const plane = await startGatewayPlane({ mandates: MANDATES });
  await kill(plane, 'bot-1');
  expect((await list(plane, 'stranger')).body).toEqual({ count: 0, kills: [], next: null });
  for (const key of ['publisher', 'protector', 'sdk'] as const)
    expect([key, (await list(plane, key)).status]).toEqual([key, 403]);
  await list(plane, 'auditor', '?limit=7');
  const reads = (await recordsOf(plane.bus, TOPICS.access)).map(({ value }) => readAccessRecord(value).read);
  expect(reads.map(({ key, route, refused }) => [key?.name, route, refused])).toEqual([
    ['stranger', '/v1/kills', false],
    ...['publisher', 'protector', 'sdk'].map((name) => [name, '/v1/kills', true]),
    ['auditor', '/v1/kills', false],
  ]);
});

test.each([
  ['?limit=0', 'limit'],
  ['?limit=1001', 'limit'],
  ['?limit=1e99', 'limit'],
  ['?cursor=%00%F0%9F%92%A5', 'cursor'],
  [`?cursor=${Buffer.from('[1,"kills in force",[-1,"acme/bot-1"]]').toString('base64url')}`, 'cursor'],
  [`?cursor=${Buffer.from('[1,"policies",["bot-1"]]').toString('base64url')}`, 'cursor'],
  ['?tenant=globex', 'tenant'],
])('refuses %s, and names the parameter', async (query, name) => {
  const plane = await startGatewayPlane({ mandates: MANDATES });
  const { status, body } = await list(plane, 'auditor', query);
  expect([status, body.code]).toEqual([400, 'VALIDATION_FAILED']);
  expect(JSON.stringify(body)).toContain(name);
});
