/** Tests what operators read and change in the ledger over HTTP: budgets, open actions and agents. */
import type { AgentRegister, AgentStatus } from '@mandate/control';
import { waitUntil } from '@mandate/testing';
import { expect, test } from 'vitest';
import { type KeyName, startGatewayPlane } from './support/gateway-plane.ts';

const MANDATES = `
version: 1
id: bots
agents: ["*"]
maxCostTotal: 1.00
toolPolicies:
  look: { cost: 0.40 }
  send: { cost: 0.10, requiresConfirmation: true }
`;

const call = (id: string, tool = 'look', agentId = 'bot-1') => ({ id, agentId, type: 'tool_call', tool });
const WAIT = '/v1/actions?waitMs=20000';
const total = { scope: 'agent', subject: 'bot-1', id: 'total' };

test('only a key with a special scope can give money back to a budget of the tenant limits', async () => {
  const isOfTenantLimits = (tenant: string, { id }: { id: string }) => tenant === 'acme' && id === 'total';
  const plane = await startGatewayPlane({ mandates: MANDATES, isOfTenantLimits });
  const adjust = async (
    who: 'operator' | 'owner' | 'stranger' | 'accountant',
    deltaMicros: number,
    budget: object = total,
  ) => {
    const body = { budget, reason: 'test', deltaMicros };
    const { status, body: answer } = await plane.call(who, 'POST', '/v1/budgets/adjust', body);
    return answer.code ?? status;
  };
  expect(await adjust('operator', -1)).toBe('BUDGET_OF_TENANT_LIMITS');
  expect(await adjust('operator', 5)).toBe(200);
  expect(await adjust('operator', -1, { ...total, id: 'own' })).toBe(200);
  expect(await adjust('stranger', -1)).toBe(200);
  expect(await adjust('accountant', -1)).toBe(200);
  expect(await adjust('accountant', 1)).toBe(200);
  // The key has only the scope operate:limits, so it may not adjust other budgets. The scope operate:all does not
  // include operate:limits.
  expect(await adjust('accountant', -1, { ...total, id: 'own' })).toBe('FORBIDDEN');
  expect((await plane.call('accountant', 'POST', '/v1/agents/bot-1/kill')).status).toBe(403);
  expect(await adjust('owner', -1)).toBe('BUDGET_OF_TENANT_LIMITS');
  expect(await plane.ledger.balances('acme')).toMatchObject([{ spent: -1 }, { spent: 5 }]);
});

test.each(['tokens', 'toolCalls'] as const)(
  'a counter in the unit %s is adjusted in its unit, apart from money and from other units',
  async (unit) => {
    const plane = await startGatewayPlane({ mandates: MANDATES });
    const adjust = (more: object) =>
      plane.call('operator', 'POST', '/v1/budgets/adjust', { reason: 'test', ...more });
    const budget = { ...total, unit };
    expect((await adjust({ budget, delta: 7 })).body).toMatchObject({ delta: 7, used: 7 });
    expect((await adjust({ budget, delta: -2 })).body).toMatchObject({ delta: -2, used: 5 });
    for (const wrong of [{ budget, deltaMicros: 1 }, { budget: total, delta: 1 }, { budget }])
      expect((await adjust(wrong)).status).toBe(400);
    expect(await plane.ledger.balances('acme')).toMatchObject([{ budget: { unit }, spent: 5 }]);
    const { body } = await plane.call('operator', 'GET', '/v1/ledger/balances');
    expect(body.balances).toMatchObject([{ budget, used: 5 }]);
    const adjusted = (await plane.decided()).filter(({ event }) => event === 'budget.adjusted');
    expect(adjusted).toMatchObject([
      { adjustment: { delta: 7, used: 7 } },
      { adjustment: { delta: -2, used: 5 } },
    ]);
  },
);

test('an adjusted budget takes effect at once, in dollars or micro-dollars, and is recorded on the log', async () => {
  const plane = await startGatewayPlane({ mandates: MANDATES });
  await plane.decide();
  const adjust = (more: object, headers = {}) =>
    plane.call('operator', 'POST', '/v1/budgets/adjust', { budget: total, reason: 'test', ...more }, headers);
  const charged = await adjust({ deltaDollars: 0.7 });
  expect(charged.body).toMatchObject({
    tenant: 'acme',
    deltaMicros: 700_000,
    spentMicros: 700_000,
    epoch: plane.ledger.epoch,
  });
  const refused = await plane.call('publisher', 'POST', WAIT, call('a-1'));
  expect(refused.body.decision).toMatchObject({ code: 'COST_LIMIT_EXCEEDED' });
  expect((await adjust({ deltaDollars: -0.4 })).body).toMatchObject({
    deltaMicros: -400_000,
    spentMicros: 300_000,
  });
  expect((await plane.call('publisher', 'POST', WAIT, call('a-2'))).body.decision).toMatchObject({
    verdict: 'ALLOW',
  });

  const key = { 'idempotency-key': 'credit-1' };
  const credits = [await adjust({ deltaMicros: -1 }, key), await adjust({ deltaMicros: -1 }, key)];
  expect(credits[1]?.body).toEqual(credits[0]?.body);
  expect((await adjust({ deltaMicros: -2 }, key)).body.spentMicros).toBe(699_997);
  const body = { budget: total, reason: 'test', deltaMicros: -1 };
  const theirs = await plane.call('stranger', 'POST', '/v1/budgets/adjust', body, key);
  expect(theirs.body.spentMicros).toBe(-1);
  expect(theirs.body.commandId).not.toBe(credits[0]?.body.commandId);

  const events = (await plane.decided()).flatMap((record) =>
    record.event === 'budget.adjusted' && record.adjustment.tenant === 'acme' ? [record.adjustment] : [],
  );
  expect(events.map(({ deltaMicros, spentMicros }) => [deltaMicros, spentMicros])).toEqual([
    [700_000, 700_000],
    [-400_000, 300_000],
    [-1, 699_999],
    [-2, 699_997],
  ]);

  for (const bad of [
    {},
    { deltaMicros: 1, deltaDollars: 1 },
    { deltaDollars: 0.0000001 },
    { deltaMicros: 1.5 },
    { deltaMicros: 1, reason: '' },
    { deltaMicros: 1, budget: { scope: 'agent', id: 'total' } },
    { deltaMicros: 1, budget: { scope: 'tenant', subject: 'acme', id: 'team' } },
  ]) {
    expect([bad, (await adjust(bad)).status]).toEqual([bad, 400]);
  }
  const tooLarge = await adjust({ deltaMicros: Number.MAX_SAFE_INTEGER });
  expect([tooLarge.status, tooLarge.body.code]).toEqual([400, 'ADJUSTMENT_TOO_LARGE']);
});

test('lists balances, open actions, unpublished decisions, and all agents by id, even those that never acted', async () => {
  const statuses = new Map<string, AgentStatus>([
    ['bot-2', 'retired'],
    ['bot-3', 'registered'],
    ['unused', 'named'],
  ]);
  const register: AgentRegister = {
    statusOf: (tenant, agentId) => (tenant === 'acme' ? (statuses.get(agentId) ?? null) : null),
    names: () => ['bot-3', 'unused'],
  };
  const plane = await startGatewayPlane({ mandates: MANDATES, register });
  await plane.decide();
  const agents = ['bot-3', 'bot-1', 'bot-2'];
  await plane.call(
    'publisher',
    'POST',
    WAIT,
    agents.map((agentId) => call(`a-${agentId}`, 'look', agentId)),
  );
  await plane.call('operator', 'POST', '/v1/agents/silent/kill', { reason: 'never seen' });
  const about = await plane.call('operator', 'GET', '/v1/ledger');
  expect(about.body).toEqual({ epoch: plane.ledger.epoch, tenants: ['acme'] });
  const { body } = await plane.call('operator', 'GET', '/v1/ledger/balances');
  expect(body).toMatchObject({ tenant: 'acme', epoch: plane.ledger.epoch });
  expect(body.balances).toHaveLength(3);
  const open = await plane.call('operator', 'GET', '/v1/ledger/open?agentId=bot-2');
  expect(open.body).toMatchObject({ count: 1, next: null });
  expect(open.body.open).toEqual([
    {
      ...{
        tenant: 'acme',
        agentId: 'bot-2',
        actionId: 'a-bot-2',
        attempt: 1,
        type: 'tool_call',
        tool: 'look',
      },
      ...{ digest: expect.stringMatching(/^[0-9a-f]{64}$/), sequence: expect.any(Number) },
      ...{ reservedMicros: 400_000, decidedAtMs: expect.any(Number), leaseExpiresAtMs: expect.any(Number) },
    },
  ]);
  const paged: unknown[] = [];
  for (let query = '?limit=2'; query !== ''; ) {
    const page = await plane.call('operator', 'GET', `/v1/ledger/open${query}`);
    expect(page.body.count).toBe(3);
    paged.push(...(page.body.open as { agentId: string }[]).map(({ agentId }) => agentId));
    query = page.body.next === null ? '' : `?limit=2&cursor=${page.body.next}`;
  }
  const whole = await plane.call('operator', 'GET', '/v1/ledger/open');
  expect(paged).toEqual((whole.body.open as { agentId: string }[]).map(({ agentId }) => agentId));
  // The agents are in different partitions, so they may be decided in any order.
  expect(paged.toSorted()).toEqual(agents.toSorted());
  for (const query of ['limit=0', 'limit=1001', 'cursor=x', 'cursor=WzEsIm9wZW4gYWN0aW9ucyIsWyJhIl1d'])
    expect([query, (await plane.call('operator', 'GET', `/v1/ledger/open?${query}`)).status]).toEqual([
      query,
      400,
    ]);
  expect((await plane.call('operator', 'GET', '/v1/ledger/unpublished')).body.unpublished).toEqual([]);

  const first = await plane.call('auditor', 'GET', '/v1/ledger/agents?limit=3');
  expect(first.body).toEqual({
    agents: ['bot-1', 'bot-2', 'bot-3'].map((agentId) => ({
      agentId,
      spentMicros: 400_000,
      openActions: 1,
      killed: null,
      status: statuses.get(agentId) ?? null,
    })),
    next: 'bot-3',
  });
  const rest = await plane.call('auditor', 'GET', `/v1/ledger/agents?limit=3&after=${first.body.next}`);
  expect(rest.body).toMatchObject({
    agents: [
      { agentId: 'silent', spentMicros: 0, killed: { scope: 'agent' }, status: null },
      { agentId: 'unused', spentMicros: 0, openActions: 0, killed: null, status: 'named' },
    ],
    next: null,
  });
  const name = async (key: 'operator' | 'publisher', agentId: string) =>
    (await plane.call(key, 'GET', `/v1/agents/${agentId}/kill-status`)).body;
  expect(await name('operator', 'bot-3')).toMatchObject({ status: 'registered', nearest: null });
  expect(await name('operator', 'unusd')).toMatchObject({ status: null, nearest: 'unused' });
  // A key that is limited to certain agents gets no `nearest`, because it could be the name of another agent.
  expect(await name('publisher', 'bot-4')).toMatchObject({ status: null, nearest: null });
});

test('shows a tenant in a few numbers, only to the tenant itself, and keeps the numbers for two seconds', async () => {
  const plane = await startGatewayPlane({ mandates: MANDATES });
  await plane.decide();
  const calls = [call('a-1', 'look', 'bot-1'), call('a-2', 'look', 'bot-2'), call('a-3', 'send', 'bot-3')];
  await plane.call('publisher', 'POST', WAIT, calls);
  await plane.call('operator', 'POST', '/v1/agents/bot-1/kill', {});
  const ask = async (key: KeyName, query = '') => plane.call(key, 'GET', `/v1/ledger/summary${query}`);
  const first = await ask('auditor');
  expect(first.body).toEqual({
    ...{ asOf: expect.any(String), ageMs: expect.any(Number), agents: 2, openActions: 2 },
    ...{ reservedMicros: 800_000, spentMicros: 800_000, waiting: 1, kills: 1 },
  });
  await plane.call('operator', 'POST', '/v1/agents/bot-1/revive', {});
  const age = Date.now() - Date.parse(String(first.body.asOf));
  const again = (await ask('operator')).body;
  if (age < 1_000) expect(again.asOf).toBe(first.body.asOf);
  await waitUntil('the numbers are read again', async () => (await ask('operator')).body.kills === 0);
  const nothing = { agents: 0, openActions: 0, reservedMicros: 0, spentMicros: 0, waiting: 0, kills: 0 };
  expect((await ask('stranger')).body).toMatchObject(nothing);
  for (const key of ['publisher', 'protector'] as const) expect((await ask(key)).status).toBe(403);
  expect((await ask('auditor', '?tenant=globex')).status).toBe(400);
});

test('without a ledger, routes that need one say where the ledger is; publishing and waiting still work', async () => {
  const plane = await startGatewayPlane({
    mandates: MANDATES,
    between: ({ bus }) => ({ bus, ledger: null }),
  });
  await plane.decide();
  const allowed = await plane.call('publisher', 'POST', WAIT, call('a-1'));
  expect(allowed.body.decision).toMatchObject({ verdict: 'ALLOW' });
  expect((await plane.call('publisher', 'GET', '/v1/actions/a-1')).body.decision).toMatchObject({
    verdict: 'ALLOW',
  });
  for (const [method, path, body] of [
    ['POST', '/v1/agents/bot-1/kill', undefined],
    ['POST', '/v1/agents/bot-1/revive', undefined],
    ['GET', '/v1/agents/bot-1/kill-status', undefined],
    ['POST', '/v1/kill', { scope: 'all' }],
    ['POST', '/v1/revive', { scope: 'tenant' }],
    ['POST', '/v1/budgets/adjust', { budget: total, deltaMicros: 1, reason: 'test' }],
    ['GET', '/v1/ledger/agents', undefined],
    ['GET', '/v1/ledger', undefined],
    ['GET', '/v1/ledger/open', undefined],
    ['GET', '/v1/ledger/summary', undefined],
    ['GET', '/v1/kills', undefined],
  ] as const) {
    const reply = await plane.call('owner', method, path, body);
    expect([path, reply.status, reply.body.code]).toEqual([path, 503, 'LEDGER_UNAVAILABLE']);
    expect(reply.body.remedy).toContain('mandate up');
  }
  expect((await plane.decided()).filter(({ event }) => event === 'agent.killed')).toEqual([]);
  expect((await plane.call(null, 'GET', '/readyz')).status).toBe(200);
});
