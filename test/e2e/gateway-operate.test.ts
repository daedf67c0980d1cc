/** Tests what operators read and change over HTTP: budgets, approvals, the ledger, agents, dead letters. */
import type { AgentRegister, AgentStatus } from '@mandate/control';
import { approvalId, type DeadLetter, type Decision, readApprovalId, TOPICS } from '@mandate/schemas';
import { waitUntil } from '@mandate/testing';
import { expect, test } from 'vitest';
import { recordsOf, startGatewayPlane } from './support/gateway-plane.ts';

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

test('a budget of the tenant limits can be credited only with a key that has the right for it', async () => {
  const isOfBounds = (tenant: string, { id }: { id: string }) => tenant === 'acme' && id === 'total';
  const plane = await startGatewayPlane({ mandates: MANDATES, isOfBounds });
  const adjust = async (
    who: 'operator' | 'owner' | 'stranger' | 'accountant',
    deltaMicros: number,
    budget: object = total,
  ) => {
    const body = { budget, reason: 'test', deltaMicros };
    const { status, body: answer } = await plane.call(who, 'POST', '/v1/budgets/adjust', body);
    return answer.code ?? status;
  };
  expect(await adjust('operator', -1)).toBe('BUDGET_OF_BOUNDS');
  expect(await adjust('operator', 5)).toBe(200);
  expect(await adjust('operator', -1, { ...total, id: 'own' })).toBe(200);
  expect(await adjust('stranger', -1)).toBe(200);
  expect(await adjust('accountant', -1)).toBe(200);
  expect(await adjust('accountant', 1)).toBe(200);
  // The key has only this right. The scope operate:all does not include the right.
  expect(await adjust('accountant', -1, { ...total, id: 'own' })).toBe('FORBIDDEN');
  expect((await plane.call('accountant', 'POST', '/v1/agents/bot-1/kill')).status).toBe(403);
  expect(await adjust('owner', -1)).toBe('BUDGET_OF_BOUNDS');
  expect(await plane.ledger.balances('acme')).toMatchObject([{ spentMicros: -1 }, { spentMicros: 5 }]);
});

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

type Plane = Awaited<ReturnType<typeof startGatewayPlane>>;
const because = { reason: 'looked at it' };

/** Publishes an action that is deferred. Returns the approval path in the decision's remedy. */
async function waiting(plane: Plane, sent: object): Promise<string> {
  const decision = (await plane.call('publisher', 'POST', WAIT, sent)).body.decision as Decision;
  expect(decision).toMatchObject({ verdict: 'DEFER', code: 'APPROVAL_REQUIRED' });
  const [, path = ''] = /POST (\S+)\/grant\.$/.exec(decision.remedy) ?? [];
  expect(path).toBe(`/v1/approvals/${approvalId(decision)}`);
  return path;
}

test('a deferred action runs after a person approves it, and not after a denial', async () => {
  const plane = await startGatewayPlane({ mandates: MANDATES });
  await plane.decide();
  for (const [id, answer, code] of [
    ['s-1', 'grant', 'ALLOWED'],
    ['s-2', 'deny', 'APPROVAL_DENIED'],
  ]) {
    const send = call(id ?? '', 'send');
    const path = await waiting(plane, send);
    const answered = await plane.call('operator', 'POST', `${path}/${answer}`, because);
    expect([answered.status, 'expiresAt' in answered.body]).toEqual([200, answer === 'grant']);
    expect((await plane.call('publisher', 'POST', WAIT, send)).body.decision).toMatchObject({ code });
    for (const again of ['grant', 'deny']) {
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
    [1, 2, 3].map(() => plane.call('operator', 'POST', `${path}/grant`, because)),
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
  const { body } = await plane.call('operator', 'POST', `${path}/grant`, grant);
  await waitUntil('it has expired', () => Date.now() > Date.parse(String(body.expiresAt)));
  const late = await plane.call('publisher', 'POST', WAIT, call('s-1', 'send'));
  expect(late.body.decision).toMatchObject({ verdict: 'BLOCK', code: 'APPROVAL_EXPIRED' });
  expect(late.body.decision?.remedy).toContain(`POST ${path}/grant`);
  expect((await plane.call('operator', 'POST', `${path}/grant`, because)).status).toBe(200);
  const next = await plane.call('publisher', 'POST', WAIT, { ...call('s-1', 'send'), attempt: 2 });
  expect(next.body.decision).toMatchObject({ code: 'ALLOWED', grantConsumed: true });
});

test('an approval belongs to one tenant, action and arguments; a question with another id is not found', async () => {
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
    const refused = await plane.call(key, 'POST', `${asked}/grant`, because);
    expect([asked, refused.status, refused.body.code]).toEqual([asked, 404, 'APPROVAL_NOT_FOUND']);
  }
  for (const bad of [{}, { reason: '' }, { ...because, expiresInMs: 1 }, { ...because, tenant: 'acme' }])
    expect((await plane.call('operator', 'POST', `${path}/grant`, bad)).status).toBe(400);
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
    plane.call('operator', 'POST', `${path}/grant`, because, { 'idempotency-key': 'answer-1' });
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
  expect((await plane.call('operator', 'POST', `${path}/grant`, because)).status).toBe(200);
  const other = await plane.call('publisher', 'POST', WAIT, send('another one'));
  expect(other.body.decision).toMatchObject({
    code: 'DUPLICATE_ACTION',
    duplicateOf: { samePayload: false },
  });
  const granted = await plane.call('publisher', 'POST', WAIT, send('the right one'));
  expect(granted.body.decision).toMatchObject({ code: 'ALLOWED' });
});

test('the agent’s own key learns whether a person approved or denied its call, even if the agent does not send it again', async () => {
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
  const granted = await plane.call('operator', 'POST', `${path}/grant`, because);
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
    const { atMs, expiresAt } = (await plane.call('operator', 'POST', `${path}/grant`, body)).body;
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
  await plane.call('operator', 'POST', `${path}/grant`, because);
  const granted = await plane.call('publisher', 'POST', WAIT, call('s-1', 'send'));
  expect(granted.body.decision).toMatchObject({ code: 'ALLOWED', grantConsumed: true });
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
  expect(open.body.open).toMatchObject([{ actionId: 'a-bot-2', reservedMicros: 400_000 }]);
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
  // A key for some agents gets no suggestion with another agent's name.
  expect(await name('publisher', 'bot-4')).toMatchObject({ status: null, nearest: null });
});

test('dead letters are listed newest first, in pages, and are republished unchanged or corrected', async () => {
  const plane = await startGatewayPlane({ mandates: MANDATES });
  await plane.decide();
  const append = (n: number) =>
    plane.bus.append(TOPICS.actions, [{ key: `acme/bot-${n}`, value: `{"broken": ${n}` }]);
  const letters = async (query = '') => (await plane.call('owner', 'GET', `/v1/dead-letters${query}`)).body;
  for (let n = 0; n < 5; n += 1) {
    await append(n);
    await waitUntil(
      `dead letter ${n}`,
      async () => ((await letters()).deadLetters as unknown[]).length === n + 1,
    );
  }
  type Letter = {
    id: string;
    partition: number;
    offset: number;
    key: string;
    valueBase64: string;
    source: object;
  };
  const all = (await letters()).deadLetters as Letter[];
  expect(all.map(({ key }) => key)).toEqual([
    'acme/bot-4',
    'acme/bot-3',
    'acme/bot-2',
    'acme/bot-1',
    'acme/bot-0',
  ]);
  const first = await letters('?limit=3');
  const second = await letters(`?limit=3&before=${first.next}`);
  expect([...(first.deadLetters as Letter[]), ...(second.deadLetters as Letter[])]).toEqual(all);
  expect(second.next).toBeNull();
  expect((await plane.call('owner', 'GET', '/v1/dead-letters?before=nonsense')).body.code).toBe(
    'INVALID_CURSOR',
  );

  const [newest] = all;
  if (newest === undefined) throw new Error('no dead letter');
  const path = `/v1/dead-letters/${newest.partition}/${newest.offset}/republish`;
  const lying = await plane.bus.at({ topic: TOPICS.deadLetters, ...newest });
  const before = await plane.bus.ranges(TOPICS.actions);
  const same = await plane.call('owner', 'POST', path);
  expect(same.status).toBe(202);
  const source = same.body.source as { topic: string; partition: number; offset: number };
  const record = await plane.bus.at({ ...source, offset: source.offset });
  expect(record).toMatchObject({ key: newest.key, headers: { 'mandate-dead-letter': newest.id } });
  expect(Buffer.from(record?.value ?? []).toString()).toBe('{"broken": 4');
  expect(before.find(({ partition }) => partition === source.partition)?.endOffset).toBe(source.offset);

  const action = { ...call('mended', 'look', 'bot-4'), tenant: 'acme', args: { password: 'hunter2' } };
  const value = { event: 'action.requested', action };
  const mended = await plane.call('owner', 'POST', path, { value, again: true });
  expect(mended.body).toMatchObject({ deadLetterId: newest.id, source: { topic: TOPICS.actions } });
  const decided = await waitUntil('the decision', async () => {
    const reply = await plane.call('owner', 'GET', '/v1/actions/mended');
    return reply.status === 200 && reply;
  });
  expect(decided.body.decision).toMatchObject({ verdict: 'ALLOW', tenant: 'acme' });
  const texts = (await recordsOf(plane.bus, TOPICS.actions)).map(({ value }) =>
    Buffer.from(value).toString(),
  );
  expect(texts.filter((text) => text.includes('mended'))).toEqual([expect.stringContaining('[redacted]')]);

  const still = await plane.call('owner', 'POST', path, {
    value: { event: 'action.requested' },
    again: true,
  });
  expect([still.status, still.body.code]).toEqual([400, 'INVALID_ACTION']);

  const letter: DeadLetter = JSON.parse(Buffer.from(lying?.value ?? []).toString());
  const ofBatch = { ...letter, deadLetter: { ...letter.deadLetter, lastOffset: 9 } };
  const [batch] = await plane.bus.append(TOPICS.deadLetters, [{ key: null, value: JSON.stringify(ofBatch) }]);
  const { partition, offset } = batch?.position ?? {};
  const whole = await plane.call('owner', 'POST', `/v1/dead-letters/${partition}/${offset}/republish`);
  expect([whole.status, whole.body.code]).toEqual([409, 'NOT_REPUBLISHABLE']);
  expect((await plane.call('owner', 'POST', '/v1/dead-letters/0/999/republish')).status).toBe(404);
  expect((await plane.call('owner', 'POST', '/v1/dead-letters/0/x/republish')).status).toBe(400);
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
  ] as const) {
    const reply = await plane.call('owner', method, path, body);
    expect([path, reply.status, reply.body.code]).toEqual([path, 503, 'LEDGER_UNAVAILABLE']);
    expect(reply.body.remedy).toContain('mandate up');
  }
  expect((await plane.decided()).filter(({ event }) => event === 'agent.killed')).toEqual([]);
  expect((await plane.call(null, 'GET', '/readyz')).status).toBe(200);
});
