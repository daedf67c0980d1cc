/** Tests over HTTP how a person approves or denies an action that waits, and what the agent gets then. */
import { approvalId, type Decision, readApprovalId } from '@mandate/schemas';
import { temporaryFolder, waitUntil } from '@mandate/testing';
import { expect, test } from 'vitest';
import { type Plane, startGatewayPlane } from './support/gateway-plane.ts';

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

const because = { reason: 'looked at it' };

/** Publishes an action that is deferred. Returns the approval path in the decision's remedy. */
async function waiting(plane: Plane, sent: object): Promise<string> {
  const decision = (await plane.call('publisher', 'POST', WAIT, sent)).body.decision as Decision;
  expect(decision).toMatchObject({ verdict: 'DEFER', code: 'APPROVAL_REQUIRED' });
  const [, path = ''] = /POST (\S+)\/approve\.$/.exec(decision.remedy) ?? [];
  expect(path).toBe(`/v1/approvals/${approvalId(decision)}`);
  return path;
}

test('a deferred action runs after a person approves it, and not after a denial', async () => {
  const plane = await startGatewayPlane({ mandates: MANDATES });
  await plane.decide();
  for (const [id, answer, code] of [
    ['s-1', 'approve', 'ALLOWED'],
    ['s-2', 'deny', 'APPROVAL_DENIED'],
  ]) {
    const send = call(id ?? '', 'send');
    const path = await waiting(plane, send);
    const answered = await plane.call('operator', 'POST', `${path}/${answer}`, because);
    expect([answered.status, 'expiresAt' in answered.body]).toEqual([200, answer === 'approve']);
    expect((await plane.call('publisher', 'POST', WAIT, send)).body.decision).toMatchObject({ code });
    for (const again of ['approve', 'deny']) {
      const late = await plane.call('operator', 'POST', `${path}/${again}`, because);
      expect([late.status, late.body.code]).toEqual([409, 'APPROVAL_NOT_WAITING']);
    }
    const standing = await plane.call('publisher', 'GET', `/v1/actions/${id}`);
    expect(standing.body.decision).toMatchObject({ code });
  }
  expect((await plane.decided()).filter(({ event }) => event === 'approval.recorded')).toMatchObject([
    { approval: { answer: 'granted', actionId: 's-1' } },
    { approval: { answer: 'denied', actionId: 's-2' } },
  ]);
});

test('an approval allows one run, even if it is given or the action is sent several times', async () => {
  const plane = await startGatewayPlane({ mandates: MANDATES });
  await plane.decide();
  const path = await waiting(plane, call('s-1', 'send'));
  const grants = await Promise.all(
    [1, 2, 3].map(() => plane.call('operator', 'POST', `${path}/approve`, because)),
  );
  expect(grants.map(({ status }) => status)).toEqual([200, 200, 200]);
  const sent = await Promise.all(
    Array.from({ length: 8 }, () => plane.call('publisher', 'POST', WAIT, call('s-1', 'send'))),
  );
  const codes = sent.map(({ body }) => body.decision?.code).sort();
  expect(codes).toEqual(['ALLOWED', ...Array(7).fill('DUPLICATE_ACTION')]);
  await plane.call('publisher', 'POST', '/v1/outcomes', {
    actionId: 's-1',
    agentId: 'bot-1',
    status: 'failure',
  });
  await waiting(plane, { ...call('s-1', 'send'), attempt: 2 });
});

test('an approval expires; after a second approval, the next attempt runs', async () => {
  const plane = await startGatewayPlane({ mandates: MANDATES });
  await plane.decide();
  const path = await waiting(plane, call('s-1', 'send'));
  const grant = { ...because, expiresInMs: 1_000 };
  const { body } = await plane.call('operator', 'POST', `${path}/approve`, grant);
  await waitUntil('it has expired', () => Date.now() > Date.parse(String(body.expiresAt)));
  const late = await plane.call('publisher', 'POST', WAIT, call('s-1', 'send'));
  expect(late.body.decision).toMatchObject({ verdict: 'BLOCK', code: 'APPROVAL_EXPIRED' });
  expect(late.body.decision?.remedy).toContain(`POST ${path}/approve`);
  expect((await plane.call('operator', 'POST', `${path}/approve`, because)).status).toBe(200);
  const next = await plane.call('publisher', 'POST', WAIT, { ...call('s-1', 'send'), attempt: 2 });
  expect(next.body.decision).toMatchObject({ code: 'ALLOWED', grantConsumed: true });
});

test('an approval counts only for its tenant, action and arguments; an id of no question is not found', async () => {
  const plane = await startGatewayPlane({ mandates: MANDATES });
  await plane.decide();
  const path = await waiting(plane, call('s-1', 'send'));
  const { agentId, actionId, digest } = readApprovalId(path.slice('/v1/approvals/'.length)) ?? {};
  const of = (other: object) =>
    `/v1/approvals/${approvalId({ agentId: '', actionId: '', digest: '', ...other })}`;
  const known = { agentId, actionId, digest };
  expect(of(known)).toBe(path);
  for (const [key, asked] of [
    ['stranger', path],
    ['operator', of({ ...known, agentId: 'bot-2' })],
    ['operator', of({ ...known, actionId: 's-2' })],
    ['operator', of({ ...known, digest: 'another' })],
    ['operator', `${path}x`],
    ['operator', '/v1/approvals/dec_01kx'],
  ] as const) {
    const refused = await plane.call(key, 'POST', `${asked}/approve`, because);
    expect([asked, refused.status, refused.body.code]).toEqual([asked, 404, 'APPROVAL_NOT_FOUND']);
  }
  for (const bad of [{}, { reason: '' }, { ...because, expiresInMs: 1 }, { ...because, tenant: 'acme' }])
    expect((await plane.call('operator', 'POST', `${path}/approve`, bad)).status).toBe(400);
  expect(
    (await plane.call('operator', 'POST', `${path}/deny`, { ...because, expiresInMs: 9e3 })).status,
  ).toBe(400);
  await waiting(plane, call('s-1', 'send'));
  expect((await plane.decided()).filter(({ event }) => event === 'approval.recorded')).toEqual([]);
});

test('a repeated approval under the same Idempotency-Key gets the identical answer', async () => {
  const plane = await startGatewayPlane({ mandates: MANDATES });
  await plane.decide();
  const path = await waiting(plane, call('s-1', 'send'));
  const approve = () =>
    plane.call('operator', 'POST', `${path}/approve`, because, { 'idempotency-key': 'answer-1' });
  const first = await approve();
  expect(first.status).toBe(200);
  await waitUntil('a later millisecond', () => Date.now() > Number(first.body.atMs));
  expect((await approve()).body).toEqual(first.body);
  expect((await plane.decided()).filter(({ event }) => event === 'approval.recorded')).toMatchObject([
    { approval: { expiresAt: first.body.expiresAt } },
  ]);
});

test('an approval is valid only for the exact arguments, also if arguments are redacted', async () => {
  const plane = await startGatewayPlane({ mandates: MANDATES });
  await plane.decide();
  const send = (password: string) => ({ ...call('s-1', 'send'), args: { password } });
  const path = await waiting(plane, send('the right one'));
  const standing = await plane.call('publisher', 'GET', '/v1/actions/s-1');
  expect(standing.body.decision).toMatchObject({ action: { args: { password: '[redacted]' } } });
  expect((await plane.call('operator', 'POST', `${path}/approve`, because)).status).toBe(200);
  const other = await plane.call('publisher', 'POST', WAIT, send('another one'));
  expect(other.body.decision).toMatchObject({
    code: 'DUPLICATE_ACTION',
    duplicateOf: { samePayload: false },
  });
  const granted = await plane.call('publisher', 'POST', WAIT, send('the right one'));
  expect(granted.body.decision).toMatchObject({ code: 'ALLOWED' });
});

test('the agent’s own key can read whether a person approved or denied its call, without sending the call again', async () => {
  const plane = await startGatewayPlane({ mandates: MANDATES });
  await plane.decide();
  const look = (waitMs: number, id = 's-1') =>
    plane.call('publisher', 'GET', `/v1/actions/${id}?waitMs=${waitMs}`);
  const path = await waiting(plane, call('s-1', 'send'));
  const id = path.slice('/v1/approvals/'.length);
  const asked = await look(0);
  expect(asked.body).toMatchObject({
    decision: { verdict: 'DEFER', approvalId: id },
    approval: { id, state: 'waiting', expiresAt: null },
  });
  expect((await look(20)).body).toEqual(asked.body);

  const learns = look(60_000);
  const granted = await plane.call('operator', 'POST', `${path}/approve`, because);
  expect((await learns).body).toEqual({
    ...asked.body,
    approval: { id, state: 'granted', expiresAt: granted.body.expiresAt },
  });
  expect((await look(60_000)).body.approval).toMatchObject({ state: 'granted' });
  const allowed = await plane.call('publisher', 'POST', WAIT, call('s-1', 'send'));
  expect(allowed.body.decision).toMatchObject({ code: 'ALLOWED', grantConsumed: true });
  expect((await look(60_000)).body).toMatchObject({ decision: { verdict: 'ALLOW' }, approval: null });

  const other = await waiting(plane, call('s-2', 'send'));
  const refused = look(60_000, 's-2');
  await plane.call('operator', 'POST', `${other}/deny`, because);
  expect((await refused).body.approval).toMatchObject({ state: 'denied', expiresAt: null });
  expect((await plane.call('stranger', 'GET', '/v1/actions/s-2?waitMs=20')).status).toBe(404);
});

test('an approval is valid for the time in the policy, unless the approver states another time', async () => {
  const asks = 'requiresConfirmation: true, questionMs: 259200000, grantMs: 172800000';
  const plane = await startGatewayPlane({ mandates: MANDATES.replace('requiresConfirmation: true', asks) });
  await plane.decide();
  const path = await waiting(plane, call('s-1', 'send'));
  const { decision } = (await plane.call('publisher', 'GET', '/v1/actions/s-1')).body;
  expect(decision).toMatchObject({ deferral: { questionMs: 259_200_000, grantMs: 172_800_000 } });
  const livesMs = async (body: object) => {
    const { atMs, expiresAt } = (await plane.call('operator', 'POST', `${path}/approve`, body)).body;
    return Math.round((Date.parse(String(expiresAt)) - Number(atMs)) / 10_000) * 10_000;
  };
  expect(await livesMs(because)).toBe(172_800_000);
  expect(await livesMs({ ...because, expiresInMs: 600_000 })).toBe(600_000);
});

test('a wait for an undecided action ends when the decision arrives, or when its time is over', async () => {
  const plane = await startGatewayPlane({ mandates: MANDATES });
  const look = (waitMs: number) => plane.call('publisher', 'GET', `/v1/actions/l-1?waitMs=${waitMs}`);
  expect((await look(20)).status).toBe(404);
  const decided = look(60_000);
  await plane.call('publisher', 'POST', '/v1/actions', call('l-1'));
  await plane.decide();
  expect((await decided).body).toMatchObject({ decision: { code: 'ALLOWED' }, approval: null });
});

test('an action that is sent again while its question is open gets the same decision, and writes no record', async () => {
  const plane = await startGatewayPlane({ mandates: MANDATES });
  await plane.decide();
  const path = await waiting(plane, call('s-1', 'send'));
  const before = [(await plane.published()).length, (await plane.decided()).length];
  const first = await plane.call('publisher', 'GET', '/v1/actions/s-1');
  const again = await Promise.all(
    Array.from({ length: 20 }, (_, at) =>
      plane.call('publisher', 'POST', at % 2 === 0 ? WAIT : '/v1/actions', call('s-1', 'send')),
    ),
  );
  for (const { status, body } of again) {
    expect(status).toBe(200);
    expect(body).toEqual({
      actionId: 's-1',
      attempt: 1,
      source: first.body.source,
      withheld: false,
      decision: first.body.decision,
    });
  }
  expect([(await plane.published()).length, (await plane.decided()).length]).toEqual(before);

  const list = await plane.call('publisher', 'POST', WAIT, [call('l-1'), call('s-1', 'send'), call('l-2')]);
  expect(list.body.results).toMatchObject([
    { actionId: 'l-1', decision: { code: 'ALLOWED' } },
    { actionId: 's-1', source: first.body.source, decision: { id: first.body.decision?.id } },
    { actionId: 'l-2', decision: { code: 'ALLOWED' } },
  ]);
  expect(await plane.published()).toHaveLength(Number(before[0]) + 2);

  const other = await plane.call('publisher', 'POST', WAIT, { ...call('s-1', 'send'), args: { to: 'else' } });
  expect(other.body.decision).toMatchObject({
    code: 'DUPLICATE_ACTION',
    duplicateOf: { samePayload: false },
  });
  await plane.call('operator', 'POST', `${path}/approve`, because);
  const granted = await plane.call('publisher', 'POST', WAIT, call('s-1', 'send'));
  expect(granted.body.decision).toMatchObject({ code: 'ALLOWED', grantConsumed: true });
});

test('an agent learns the answer after a restart of the gateway, without an audit', async () => {
  const folder = temporaryFolder();
  const first = await startGatewayPlane({ mandates: MANDATES, folder });
  const decider = await first.decide();
  const path = await waiting(first, call('s-1', 'send'));
  await decider.stop();
  await first.gateway.stop();
  await first.bus.close();
  const plane = await startGatewayPlane({ mandates: MANDATES, folder });
  expect((await plane.call('publisher', 'GET', `${path}/answer`)).body).toEqual({
    state: 'waiting',
    expiresAt: null,
  });
  const begunMs = performance.now();
  const asking = plane.call('publisher', 'GET', `${path}/answer?waitMs=60000`);
  await plane.call('operator', 'POST', `${path}/approve`, because);
  expect((await asking).body).toMatchObject({ state: 'granted', expiresAt: expect.any(String) });
  expect(performance.now() - begunMs).toBeLessThan(30_000);
  for (const [key, asked] of [
    ['sdk', path],
    ['stranger', path],
    ['publisher', '/v1/approvals/dec_01kx'],
    ['publisher', `/v1/approvals/${approvalId({ agentId: 'other', actionId: 's-1', digest: 'd' })}`],
  ] as const)
    expect((await plane.call(key, 'GET', `${asked}/answer`)).status).toBe(key === 'sdk' ? 403 : 404);
});

test('the scope approve answers approvals, and opens no other command', async () => {
  const plane = await startGatewayPlane({ mandates: MANDATES });
  await plane.decide();
  const path = await waiting(plane, call('s-1', 'send'));
  expect((await plane.call('auditor', 'POST', `${path}/approve`, because)).body.code).toBe('FORBIDDEN');
  expect((await plane.call('stranger', 'POST', `${path}/approve`, because)).body.code).toBe(
    'APPROVAL_NOT_FOUND',
  );
  for (const command of ['/v1/agents/bot-1/kill', '/v1/kill', '/v1/budgets/adjust'])
    expect((await plane.call('approver', 'POST', command, {})).body.code).toBe('FORBIDDEN');
  expect((await plane.call('approver', 'POST', `${path}/approve`, because)).status).toBe(200);
  expect((await plane.call('publisher', 'POST', WAIT, call('s-1', 'send'))).body.decision).toMatchObject({
    code: 'ALLOWED',
  });
});

test('nobody answers for an action that they asked for, if the tenant forbids it', async () => {
  const plane = await startGatewayPlane({ mandates: MANDATES, forbidsOwnApproval: true });
  await plane.decide();
  const asked = (id: string, principal?: string) =>
    waiting(plane, { ...call(id, 'send'), ...(principal && { principal: { id: principal } }) });
  const paths = [await asked('own', 'approver'), await asked('other', 'ann'), await asked('no-one')];
  const codes = async (answer: string) =>
    Promise.all(
      paths.map(async (path) => {
        const { status, body } = await plane.call('approver', 'POST', `${path}/${answer}`, because);
        return body.code ?? status;
      }),
    );
  expect(await codes('deny?dryRun=true')).toEqual(['OWN_QUESTION', 200, 200]);
  expect(await codes('approve')).toEqual(['OWN_QUESTION', 200, 200]);
  expect((await plane.call('operator', 'POST', `${paths[0]}/approve`, because)).status).toBe(200);
  const unknown = approvalId({ agentId: 'bot-1', actionId: 'never', digest: 'x' });
  const answered = await plane.call('approver', 'POST', `/v1/approvals/${unknown}/approve`, because);
  expect([answered.status, answered.body.code]).toEqual([503, 'QUESTION_UNKNOWN']);
});
