/** Opens, changes and closes a tenant on a whole plane over HTTP, while the tenant's agents act. */
import { rmSync } from 'node:fs';
import { openPlane, planeConfig } from '@mandate/plane';
import { dataFolder, silentLogger } from '@mandate/runtime';
import { agentKey, TOPICS } from '@mandate/schemas';
import { fileKeyStore, issueApiKey } from '@mandate/server';
import { temporaryFolder } from '@mandate/testing';
import { expect, onTestFinished, test } from 'vitest';

// biome-ignore lint/suspicious/noExplicitAny: the test checks its shape
type Answer = { status: number; body: any };

async function scene() {
  const data = temporaryFolder();
  const owner = issueApiKey({ tenant: 'default', name: 'owner', scopes: ['operate:all'], agents: ['*'] });
  await fileKeyStore(dataFolder(data).keys).add(owner.record);
  const config = planeConfig.parse({ PLANE_DATA_PATH: data, PLANE_PORT: 0 });
  const plane = await openPlane(config, silentLogger());
  onTestFinished(async () => {
    await plane.stop();
    rmSync(data, { recursive: true });
  });
  async function call(key: string, method: string, path: string, body?: object): Promise<Answer> {
    const response = await fetch(plane.url + path, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        ...(body && { 'content-type': 'application/json' }),
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: await response.json() };
  }
  const tenant = (method: string, fields: object = {}) =>
    call(owner.key, method, '/v1/tenants/acme', { version: 1, id: 'acme', ...fields });
  return { plane, owner: owner.key, call, tenant };
}

const ASK = { agentId: 'bot', type: 'tool_call', tool: 'look' };

test('agents act within the tenant limits, and after the tenant is closed they can only report outcomes of running actions', async () => {
  const { plane, owner, call, tenant } = await scene();
  const opened = await call(owner, 'POST', '/v1/tenants', { version: 1, id: 'acme' });
  const admin = opened.body.key.key;
  const people = (path: string, body: object) => call(admin, 'POST', path, body);
  const { body: agent } = await people('/v1/agents', { id: 'bot' });
  const bot = agent.key.key;
  await people('/v1/policies', { version: 1, id: 'p', toolPolicies: { look: { cost: 0.1 } } });
  await people('/v1/rules', { version: 1, id: 'r', policy: 'p' });
  const ask = (id: string, fields: object = {}) =>
    call(bot, 'POST', '/v1/actions?waitMs=20000', { id, ...ASK, ...fields });

  expect((await ask('before')).body.decision).toMatchObject({ verdict: 'ALLOW', chargedMicros: 100_000 });
  const bounded = await tenant('PUT', {
    limits: { budgets: [{ id: 'contract', scope: 'tenant', max: 0.1 }], deniedTools: ['shell'] },
  });
  const name = `tenant acme@${bounded.body.revision}`;
  expect((await ask('denied', { tool: 'shell' })).body.decision).toMatchObject({
    ...{ code: 'TOOL_DENIED', mandate: { policies: ['p@1', name] } },
    reason: expect.stringContaining(`This comes from the policy "${name}".`),
  });
  expect((await ask('within')).body.decision).toMatchObject({ verdict: 'ALLOW' });
  expect((await ask('beyond')).body.decision).toMatchObject({
    code: 'COST_LIMIT_EXCEEDED',
    reason: expect.stringContaining(`This comes from the policy "${name}".`),
  });

  await tenant('PUT');
  expect((await ask('running')).body.decision).toMatchObject({ verdict: 'ALLOW' });
  expect((await call(owner, 'DELETE', '/v1/tenants/acme')).status).toBe(200);
  expect(await ask('refused')).toMatchObject({ status: 409, body: { code: 'TENANT_CLOSED' } });
  // Appends to the log directly, as a producer with rights for every tenant could: for a registered agent, and for an
  // agent that is not registered.
  const direct = ['bot', 'stranger'].map((agentId) => ({
    key: agentKey('acme', agentId),
    value: JSON.stringify({
      event: 'action.requested',
      action: { ...ASK, id: 'direct', agentId, tenant: 'acme' },
    }),
  }));
  await plane.bus.append(TOPICS.actions, direct);
  await plane.atRest();
  for (const agentId of ['bot', 'stranger']) {
    const { body } = await call(admin, 'GET', `/v1/actions/direct?agentId=${agentId}`);
    expect(body.decision ?? body).toMatchObject({ verdict: 'BLOCK', code: 'TENANT_CLOSED', final: true });
  }
  const outcome = { actionId: 'running', agentId: 'bot', status: 'success', actualCostMicros: 70_000 };
  const settled = await call(bot, 'POST', '/v1/outcomes?waitMs=20000', outcome);
  expect(settled).toMatchObject({ status: 200, body: { settlement: { chargedMicros: 100_000 } } });
  expect((await people('/v1/agents', { id: 'more' })).status).toBe(403);
  expect((await people('/v1/kill', { scope: 'tenant' })).status).toBe(403);

  const { body: told } = await call(admin, 'GET', '/v1/audit/control-events?subject=acme');
  expect(told.events.map(({ event }: { event: string }) => event)).toEqual([
    'tenant.closed',
    ...['tenant.put', 'tenant.put', 'tenant.put'],
  ]);

  expect((await tenant('PUT')).status).toBe(200);
  expect((await ask('again')).body.decision).toMatchObject({ verdict: 'ALLOW' });
});
