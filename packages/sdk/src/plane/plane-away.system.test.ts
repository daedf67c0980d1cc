/** Tests plane mode while answers are lost, and after the plane has died. */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { codeOf, untilAborted } from '../contract/scene.ts';
import { serverDies } from '../contract/server-dies.ts';
import { Mandate as AnyMandate } from '../index.ts';
import { Mandate } from './index.ts';
import { startTestPlane, type TestPlane } from './plane.fixture.ts';

const PAY = { maxCostTotal: 100, toolPolicies: { pay: { cost: 5 } } };

let plane: TestPlane;

beforeAll(async () => {
  plane = await startTestPlane();
});

afterAll(() => plane.stop());

/** Passes requests on to the plane. `loses` says which answers are lost on their way back. */
async function lossyPlane(loses: (path: string, count: number) => boolean): Promise<string> {
  const counts = new Map<string, number>();
  const server: Server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const path = String(request.url).replace(/[?].*/, '');
    const count = (counts.get(path) ?? 0) + 1;
    counts.set(path, count);
    const answer = await fetch(plane.url + request.url, {
      method: request.method ?? 'GET',
      headers: {
        authorization: String(request.headers.authorization),
        ...(chunks.length > 0 && { 'content-type': 'application/json' }),
      },
      ...(chunks.length > 0 && { body: Buffer.concat(chunks) }),
    });
    const text = path.endsWith('/stream') ? '' : await answer.text();
    if (loses(path, count)) return void request.socket.destroy();
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(text);
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function agentAt(planeUrl: string, document: object = PAY) {
  const { agentId, apiKey } = await plane.agentUnder(document);
  const errors: unknown[] = [];
  const options = { agentId, apiKey, timeoutMs: 20_000, onError: (error: unknown) => errors.push(error) };
  const mandate = new Mandate({ ...options, planeUrl });
  onTestFinished(() => mandate.close());
  return { agentId, apiKey, errors, options, mandate, tools: mandate.createExecutor() };
}

test('an ask whose answers are lost runs once, and is charged once', async () => {
  const url = await lossyPlane((path, count) => path === '/v1/actions' && count <= 2);
  const { mandate, tools } = await agentAt(url);
  let runs = 0;
  const pay = () => {
    runs += 1;
    return 'paid';
  };
  expect(await tools.run('pay', {}, pay, { idempotencyKey: 'order-7' })).toBe('paid');
  expect(await codeOf(tools.run('pay', {}, pay, { idempotencyKey: 'order-7' }))).toBe('DUPLICATE_ACTION');
  expect([runs, (await mandate.getCost()).totalMicros]).toEqual([1, 5_000_000]);
});

test('of two processes with one idempotency key, whose answers are lost, one runs', async () => {
  const url = await lossyPlane((path, count) => path === '/v1/actions' && count <= 4);
  const { options, tools } = await agentAt(url);
  const other = new Mandate({ ...options, planeUrl: url });
  onTestFinished(() => other.close());
  let runs = 0;
  const pay = async () => {
    runs += 1;
  };
  const both = [tools, other.createExecutor()].map((each) =>
    codeOf(each.run('pay', {}, pay, { idempotencyKey: 'order-7' })),
  );
  expect((await Promise.all(both)).toSorted()).toEqual(['DUPLICATE_ACTION', 'ran']);
  expect(runs).toBe(1);
});

test('an outcome whose answer is lost settles once', async () => {
  const url = await lossyPlane((path, count) => path === '/v1/outcomes' && count === 1);
  const { mandate, tools, errors } = await agentAt(url);
  await tools.run('pay', {}, () => 'paid', { actualCostMicros: 7_000_000 });
  await mandate.flush({ timeoutMs: 20_000 });
  expect(errors).toMatchObject([{ code: 'OUTCOMES_DELAYED' }]);
  expect(mandate.getAuditCounts()).toEqual({ written: 1, waiting: 0, spilled: 0, lost: 0 });
  expect((await mandate.getCost()).totalMicros).toBe(7_000_000);
});

test('a call that waits for a person makes no decision while it waits', async () => {
  const asking = { toolPolicies: { pay: { requiresConfirmation: true } } };
  const { tools, agentId } = await agentAt(plane.url, asking);
  const key = { idempotencyKey: 'order-7' };
  const deferred = await tools.run('pay', {}, () => 'paid', key).catch((error) => error);
  const waiting = tools.run('pay', {}, () => 'paid', { ...key, onDefer: 'wait' });
  await expect(
    tools.run('pay', {}, () => 'paid', { ...key, onDefer: 'wait', deferTimeoutMs: 50 }),
  ).rejects.toEqual(expect.objectContaining({ approvalId: deferred.approvalId }));
  await plane.call('POST', `/v1/approvals/${deferred.approvalId}/approve`, { reason: 'fine' });
  expect(await waiting).toBe('paid');
  const decisions = async () => {
    const path = `/v1/audit/decisions?agent=${agentId}`;
    const found = await plane.call<{ decisions: { verdict: string }[] }>('GET', path);
    return found.decisions.map(({ verdict }) => verdict).toSorted();
  };
  await expect.poll(decisions, { interval: 50, timeout: 30_000 }).toEqual(['ALLOW', 'DEFER']);
});

test("an agent's key can read the usage of this agent only", async () => {
  const { apiKey, agentId, tools, mandate } = await agentAt(plane.url);
  await tools.run('pay', {}, () => 'paid');
  expect(await mandate.getCost()).toEqual({ totalMicros: 5_000_000, llmMicros: 0, toolMicros: 5_000_000 });
  expect([await mandate.getCallCount(), await mandate.getRemainingBudget()]).toEqual([1, 95_000_000]);
  const other = await plane.agentUnder({});
  const headers = { authorization: `Bearer ${apiKey}` };
  const statusOf = async (id: string) =>
    (await fetch(`${plane.url}/v1/agents/${id}/usage`, { headers })).status;
  expect([await statusOf(agentId), await statusOf(other.agentId)]).toEqual([200, 403]);
});

test('the key of an agent may neither kill nor approve, and the error names the scope', async () => {
  const { mandate, agentId } = await agentAt(plane.url);
  await expect(mandate.kill(agentId, 'runaway')).rejects.toMatchObject({
    code: 'FORBIDDEN',
    remedy: 'Use a key that has the scope operate.',
  });
});

test('a kill of an agent stops its sub-agents with their running calls, and no other agent', async () => {
  await plane.teamMember({}, { id: 'lead' });
  await plane.teamMember({}, { id: 'lead.payer', parent: 'lead' });
  await plane.teamMember({}, { id: 'leader' });
  const options = { mode: 'plane', planeUrl: plane.url } as const;
  const team = new Mandate({ ...options, apiKey: await plane.keyOf('lead*') });
  const operator = new Mandate({ ...options, apiKey: plane.operatorKey });
  onTestFinished(async () => {
    await Promise.all([team.close(), operator.close()]);
  });
  const toolsOf = (agentId: string) => team.createExecutor({ agentId });
  const over = new AbortController();
  /** Starts a call that waits until it is aborted. The result has its promise, so it is not awaited here. */
  const startedBy = async (agentId: string) => {
    const started = Promise.withResolvers<void>();
    const wait = (_args: unknown, signal: AbortSignal) => {
      started.resolve();
      return untilAborted({}, signal);
    };
    const ended = toolsOf(agentId).run('wait', {}, wait, { signal: over.signal });
    await started.promise;
    return { code: codeOf(ended) };
  };
  const stopped = await startedBy('lead.payer');
  const goesOn = await startedBy('leader');
  await operator.kill('lead', 'runaway');
  expect(await stopped.code).toBe('AGENT_KILLED');
  const pay = (agentId: string) => codeOf(toolsOf(agentId).run('pay', {}, () => 'paid'));
  expect([await pay('lead.payer'), await pay('leader')]).toEqual(['AGENT_KILLED', 'ran']);
  expect(await operator.revive('lead')).toBe(true);
  expect(await pay('lead.payer')).toBe('ran');
  over.abort(new Error('the test is over'));
  await expect(goesOn.code).rejects.toThrow('the test is over');
});

test('an action that the plane cannot read is refused with its reason', async () => {
  const { tools } = await agentAt(plane.url);
  const refused = await tools.run('pay', { n: 2 ** 60 }, () => 'paid').catch((error) => error);
  expect(refused).toMatchObject({ code: 'INVALID_ACTION', decision: null });
  expect(refused.reason).not.toBe('');
});

test('a mandate in the code does not apply, and onError says so once', async () => {
  const { options, agentId } = await agentAt(plane.url, { allowedTools: [] });
  const errors: unknown[] = [];
  const onError = (error: unknown) => errors.push(error);
  const mandate = new Mandate({ ...options, planeUrl: plane.url, mandate: { allowedTools: ['*'] }, onError });
  onTestFinished(() => mandate.close());
  const tools = mandate.createExecutor({ agentId, mandate: {} });
  expect(await codeOf(tools.run('pay', {}, () => 'paid'))).toBe('TOOL_NOT_ALLOWED');
  expect(errors).toMatchObject([{ code: 'MANDATE_IGNORED' }]);
});

test('a key that the plane does not know blocks, and the error says why', async () => {
  const { agentId } = await agentAt(plane.url);
  const mandate = new Mandate({ agentId, planeUrl: plane.url, apiKey: 'sk-mdt_unknown', onError: () => {} });
  onTestFinished(() => mandate.close());
  const blocked = await mandate
    .createExecutor()
    .run('pay', {}, () => 'paid')
    .catch((error) => error);
  expect(blocked).toMatchObject({ code: 'INTERNAL_ERROR', cause: { code: 'UNAUTHENTICATED' } });
  expect(String(blocked.message)).not.toContain('unknown');
});

// This test ends the plane that the tests share, so no test after it may use that plane.
test('after the plane has died, calls are blocked and nothing runs', async () => {
  const { tools, options } = await agentAt(plane.url);
  expect(await codeOf(tools.run('pay', {}, () => 'paid'))).toBe('ran');
  await plane.process.kill('SIGKILL');
  const mandate = new Mandate({ ...options, planeUrl: plane.url, timeoutMs: 300, whenPlaneIsAway: 'block' });
  let runs = 0;
  const blocked = await mandate
    .createExecutor()
    .run('pay', {}, () => {
      runs += 1;
    })
    .catch((error) => error);
  expect(blocked).toMatchObject({ code: 'INTERNAL_ERROR', cause: { code: 'PLANE_UNAVAILABLE' } });
  expect(runs).toBe(0);
  await mandate.close({ timeoutMs: 1 });
});

serverDies('the plane', async () => {
  const dying = await startTestPlane();
  onTestFinished(() => dying.stop());
  const errors: unknown[] = [];
  return {
    errors,
    kill: () => dying.process.kill('SIGKILL'),
    async agentUnder(document) {
      const given = {
        ...(await dying.agentUnder(document)),
        onError: (error: unknown) => errors.push(error),
      };
      const mandate = new AnyMandate({ ...given, mode: 'plane', planeUrl: dying.url, timeoutMs: 2_000 });
      onTestFinished(() => mandate.close({ timeoutMs: 1 }));
      return { agentId: given.agentId, mandate, tools: mandate.createExecutor() };
    },
  };
});
