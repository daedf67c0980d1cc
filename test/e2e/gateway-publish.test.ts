/**
 * Tests publishing over HTTP: what is accepted, what is written to the log, and how callers wait for the decision.
 */
import { TOPICS } from '@mandate/schemas';
import { busWith, waitUntil } from '@mandate/testing';
import { expect, test } from 'vitest';
import { startGatewayPlane } from './support/gateway-plane.ts';

const MANDATES = `
version: 1
id: bots
agents: ["*"]
maxCostTotal: 1.00
deniedTools: [forbidden]
toolPolicies:
  look: { cost: 0.10 }
`;

const look = (id: string, more: object = {}) => ({
  id,
  agentId: 'bot-1',
  type: 'tool_call',
  tool: 'look',
  ...more,
});

test('an action is answered with its decision, and its id finds the decision later', async () => {
  const plane = await startGatewayPlane({ mandates: MANDATES });
  await plane.decide();
  const { status, body } = await plane.call('publisher', 'POST', '/v1/actions?waitMs=20000', look('a-1'));
  expect(status).toBe(200);
  expect(body).toMatchObject({ actionId: 'a-1', attempt: 1, withheld: false });
  expect(body.decision).toMatchObject({
    verdict: 'ALLOW',
    code: 'ALLOWED',
    tenant: 'acme',
    chargedMicros: 100_000,
  });
  expect(body.decision?.source).toEqual(body.source);

  const refused = await plane.call(
    'publisher',
    'POST',
    '/v1/actions?waitMs=20000',
    look('a-2', { tool: 'forbidden' }),
  );
  expect(refused.body.decision).toMatchObject({ verdict: 'BLOCK', code: 'TOOL_DENIED' });

  const again = await plane.call('publisher', 'POST', '/v1/actions?waitMs=20000', look('a-1'));
  expect(again.body.decision).toMatchObject({ verdict: 'BLOCK', code: 'DUPLICATE_ACTION' });
  for (const query of ['', '?agentId=bot-1', '?attempt=1']) {
    const standing = await plane.call('publisher', 'GET', `/v1/actions/a-1${query}`);
    expect(standing.body).toEqual({ ...body, approval: null });
  }
  for (const query of ['?agentId=bot-2', '?attempt=2']) {
    expect((await plane.call('publisher', 'GET', `/v1/actions/a-1${query}`)).status).toBe(404);
  }
});

test('without waitMs, or if the decision is late, the answer is 202 and says where to ask for the decision', async () => {
  const plane = await startGatewayPlane({ mandates: MANDATES });
  for (const wait of ['', '?waitMs=0', '?waitMs=30']) {
    const id = `a/${wait}`;
    const { status, body, headers } = await plane.call('publisher', 'POST', `/v1/actions${wait}`, look(id));
    expect(status).toBe(202);
    expect(body).toMatchObject({ actionId: id, attempt: 1, decision: null });
    expect(headers.get('location')).toBe(`/v1/actions/${encodeURIComponent(id)}?agentId=bot-1&attempt=1`);
  }
  await plane.decide();
  const location = `/v1/actions/${encodeURIComponent('a/')}?agentId=bot-1&attempt=1`;
  const standing = await waitUntil('a decision at the location', async () => {
    const reply = await plane.call('publisher', 'GET', location);
    return reply.status === 200 && reply;
  });
  expect(standing.body.decision).toMatchObject({ verdict: 'ALLOW' });
});

test('a list is answered in its own order, when all its decisions are there', async () => {
  const plane = await startGatewayPlane({ mandates: MANDATES });
  await plane.decide();
  const list = Array.from({ length: 500 }, (_, n) =>
    look(`a-${n}`, { agentId: `bot-${n % 50}`, context: { a: 1, b: 2, c: 3 } }),
  );
  const { status, body } = await plane.call('publisher', 'POST', '/v1/actions?waitMs=20000', list);
  expect(status).toBe(200);
  const results = body.results as { actionId: string; decision: { actionId: string; verdict: string } }[];
  expect(results.map(({ actionId }) => actionId)).toEqual(list.map(({ id }) => id));
  expect(results.every(({ actionId, decision }) => decision.actionId === actionId)).toBe(true);
  expect(results.filter(({ decision }) => decision.verdict === 'ALLOW')).toHaveLength(500);
  const tooMany = await plane.call('publisher', 'POST', '/v1/actions', [...list, look('one-more')]);
  expect([tooMany.status, tooMany.body.code]).toEqual([400, 'INVALID_ACTION']);
  expect((await plane.call('publisher', 'POST', '/v1/actions', [])).status).toBe(400);
});

test('a published record has the tenant, the deadline of the wait, the Idempotency-Key of the header and the trace', async () => {
  const plane = await startGatewayPlane({ mandates: MANDATES });
  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
  const headers = { 'idempotency-key': 'order-7', traceparent };
  await plane.call('publisher', 'POST', '/v1/actions?waitMs=20', look('a-1'), headers);
  await plane.call(
    'publisher',
    'POST',
    '/v1/actions?waitMs=20',
    look('a-2', { deadlineMs: 5, idempotencyKey: 'mine' }),
    headers,
  );
  const record = { event: 'action.requested', action: look('a-3') };
  await plane.call('publisher', 'POST', '/v1/actions', record);
  expect(await plane.published()).toEqual([
    {
      event: 'action.requested',
      action: look('a-1', { tenant: 'acme', deadlineMs: 20, idempotencyKey: 'order-7' }),
    },
    {
      event: 'action.requested',
      action: look('a-2', { tenant: 'acme', deadlineMs: 5, idempotencyKey: 'mine' }),
    },
    { event: 'action.requested', action: look('a-3', { tenant: 'acme' }) },
  ]);
  const [{ partition = 0 } = {}] = (await plane.bus.ranges(TOPICS.actions)).filter(
    ({ endOffset }) => endOffset > 0,
  );
  const first = await plane.bus.at({ topic: TOPICS.actions, partition, offset: 0 });
  expect(first).toMatchObject({ key: 'acme/bot-1', headers: { traceparent } });

  for (const [body, header] of [
    [look('a-4'), 'a b'],
    [[look('a-4')], 'fine'],
  ] as const) {
    const reply = await plane.call('publisher', 'POST', '/v1/actions', body, { 'idempotency-key': header });
    expect([reply.status, reply.body.code]).toEqual([400, 'INVALID_IDEMPOTENCY_KEY']);
  }
});

test('secrets are redacted before a record is published', async () => {
  const plane = await startGatewayPlane({ mandates: MANDATES });
  await plane.call('publisher', 'POST', '/v1/actions', [
    look('a-1', { args: { user: 'u', login: { password: 'hunter2' } }, context: { api_key: 'hunter2' } }),
  ]);
  const [published] = await plane.published();
  expect(JSON.stringify(published)).not.toContain('hunter2');
  expect(published).toMatchObject({ action: { args: { user: 'u', login: { password: '[redacted]' } } } });
});

test('a body is parsed strictly, each record of a list separately, and if one record is invalid, none is published', async () => {
  const plane = await startGatewayPlane({ mandates: MANDATES });
  const good = JSON.stringify(look('a-1'));
  const bad: readonly [body: string, errors: object[]][] = [
    [good.replace('{', '{"id":"a-0",'), [{ line: 1, column: 13, detail: expect.stringContaining('twice') }]],
    ['{"__proto__": 1}', [{ line: 1, column: 2 }]],
    [good.replace('"look"', '"look", "args": {"n": 9007199254740993}'), [{ line: 1 }]],
    [good.replace('"tool"', '\n"tol"'), [{ pointer: '/tol', line: 2, column: 1 }]],
    ['{"event": "action.completed"}', [{ pointer: '/event' }]],
    [
      `[${good},\n${good.replace('bot-1', '')},\n${good},\n {"id": 7}]`,
      [
        { index: 1, pointer: '/agentId', line: 2 },
        { index: 3, line: 4 },
      ],
    ],
    [`[${good},\n {"id": ]`, [{ line: 2, column: 9 }]],
  ];
  for (const [body, errors] of bad) {
    const reply = await plane.call('publisher', 'POST', '/v1/actions', body);
    expect([reply.status, reply.body.code]).toEqual([400, 'INVALID_ACTION']);
    expect(reply.body.errors).toMatchObject(errors);
    expect(reply.body.errors).toHaveLength(errors.length);
  }
  // On the log, the action is one level deeper than in this body, because it is inside a record. A decider could not
  // read such a record.
  const deep = look('deep', { args: JSON.parse(`${'{"a":'.repeat(31)}1${'}'.repeat(31)}`) });
  const tooDeep = await plane.call('publisher', 'POST', '/v1/actions', deep);
  expect([tooDeep.status, tooDeep.body.detail]).toEqual([400, expect.stringContaining('deeper')]);
  const tooLong = await plane.call(
    'publisher',
    'POST',
    '/v1/actions',
    look('long', { context: { a: Array.from({ length: 5 }, () => 'x'.repeat(60_000)) } }),
  );
  expect(tooLong.body.code).toBe('INVALID_ACTION');
  expect(await plane.published()).toEqual([]);
  for (const query of ['waitMs=-1', 'waitMs=60001', 'waitMs=x', 'wait=1']) {
    expect((await plane.call('publisher', 'POST', `/v1/actions?${query}`, good)).status).toBe(400);
  }
});

test('one outcome or several outcomes settle actions, and the answer says if an outcome changed nothing', async () => {
  const plane = await startGatewayPlane({ mandates: MANDATES });
  await plane.decide();
  await plane.call('publisher', 'POST', '/v1/actions?waitMs=20000', [look('a-1'), look('a-2')]);
  const outcome = (actionId: string, status: string) => ({ actionId, agentId: 'bot-1', status });
  const one = await plane.call('publisher', 'POST', '/v1/outcomes?waitMs=20000', outcome('a-1', 'failure'));
  expect(one.status).toBe(200);
  expect(one.body).toMatchObject({
    actionId: 'a-1',
    attempt: 1,
    settlement: { kind: 'settled', deltaMicros: -100_000 },
  });
  const many = await plane.call('publisher', 'POST', '/v1/outcomes?waitMs=20000', [
    { event: 'action.completed', outcome: outcome('a-1', 'success') },
    outcome('a-2', 'success'),
    outcome('never', 'success'),
  ]);
  expect(many.body.results).toMatchObject([
    { settlement: { kind: 'repeated' } },
    { settlement: { kind: 'settled', deltaMicros: 0 } },
    { settlement: { kind: 'unknown' } },
  ]);
  const unwaited = await plane.call('publisher', 'POST', '/v1/outcomes', outcome('a-2', 'success'));
  expect([unwaited.status, unwaited.body.settlement]).toEqual([202, null]);
  const bad = await plane.call('publisher', 'POST', '/v1/outcomes', outcome('a-2', 'perhaps'));
  expect([bad.status, bad.body.code]).toEqual([400, 'INVALID_OUTCOME']);
});

test('only the gateway states who reports an outcome, and the scope release removes the limit on releases', async () => {
  const plane = await startGatewayPlane({ mandates: `${MANDATES}maxReleases: { calls: 1, percent: 0 }\n` });
  await plane.decide();
  const ids = ['a-1', 'a-2', 'a-3'];
  await plane.call(
    'publisher',
    'POST',
    '/v1/actions?waitMs=20000',
    ids.map((id) => look(id)),
  );
  const cancel = (key: 'publisher' | 'owner', actionId: string, more: object = {}) =>
    plane.call(key, 'POST', '/v1/outcomes?waitMs=20000', {
      ...{ actionId, agentId: 'bot-1', tenant: 'acme', status: 'cancelled' },
      ...more,
    });

  const forged = await cancel('publisher', 'a-1', { reportedBy: { keyId: null, mayRelease: true } });
  expect([forged.status, forged.body.code]).toEqual([400, 'INVALID_OUTCOME']);
  expect((await cancel('publisher', 'a-1')).body).toMatchObject({
    settlement: {
      reportedBy: { keyId: expect.any(String), mayRelease: false },
      chargedMicros: 0,
      code: 'SETTLED',
    },
  });
  expect((await cancel('publisher', 'a-2')).body).toMatchObject({
    settlement: { chargedMicros: 100_000, code: 'RELEASE_REFUSED' },
  });
  expect((await cancel('owner', 'a-3')).body).toMatchObject({
    settlement: {
      reportedBy: { keyId: expect.any(String), mayRelease: true },
      chargedMicros: 0,
      code: 'SETTLED',
    },
  });
});

test('a caller gets its decision even if the decision arrives before the log acknowledges the request', async () => {
  const holdAcks = Promise.withResolvers<void>();
  const plane = await startGatewayPlane({
    mandates: MANDATES,
    between: ({ bus, ledger }) => ({
      ledger,
      bus: busWith(bus, {
        append: async (topic, records) => {
          const acknowledged = await bus.append(topic, records);
          await holdAcks.promise;
          return acknowledged;
        },
      }),
    }),
  });
  await plane.decide();
  const asked = plane.call('publisher', 'POST', '/v1/actions?waitMs=20000', look('a-1'));
  await waitUntil('the decision on the log', async () => {
    const standing = await plane.call('publisher', 'GET', '/v1/actions/a-1');
    return standing.status === 200;
  });
  holdAcks.resolve();
  expect((await asked).body.decision).toMatchObject({ verdict: 'ALLOW' });
});

test('if too many answers are awaited, nothing is published, and a caller that leaves makes room', async () => {
  // One key may have a quarter of the waits: three of twelve.
  const plane = await startGatewayPlane({ mandates: MANDATES, settings: { GATEWAY_MAX_WAITING: 12 } });
  const impatient = new AbortController();
  const waiting = plane
    .call('publisher', 'POST', '/v1/actions?waitMs=60000', [look('a-1'), look('a-2')], {}, impatient.signal)
    .catch((error: unknown) => error);
  const places = async () =>
    (await plane.metrics.registry.metrics()).match(/^mandate_gateway_waiting_answers\S* (\d+)$/m)?.[1];
  await waitUntil('two waiting answers', async () => (await places()) === '2');
  const refused = await plane.call('publisher', 'POST', '/v1/actions?waitMs=60000', [
    look('a-3'),
    look('a-4'),
  ]);
  expect([refused.status, refused.body.code]).toEqual([503, 'OVERLOADED']);
  expect(await plane.published()).toHaveLength(2);
  expect((await plane.call('publisher', 'POST', '/v1/actions', look('a-5'))).status).toBe(202);

  impatient.abort();
  await waiting;
  await waitUntil('no waiting answer', async () => (await places()) === '0');
  expect(
    (await plane.call('publisher', 'POST', '/v1/actions?waitMs=1', [look('a-3'), look('a-4')])).status,
  ).toBe(202);
});

test('a gateway that stops answers all waiting callers at once', async () => {
  const plane = await startGatewayPlane({ mandates: MANDATES });
  const waiting = plane.call('publisher', 'POST', '/v1/actions?waitMs=60000', look('a-1'));
  await waitUntil('the action on the log', async () => (await plane.published()).length === 1);
  await plane.server.close();
  expect((await waiting).status).toBe(202);
});

test('if the log is unavailable, the answer is 503 within a time limit; it says what may have happened and what is safe to do', async () => {
  const plane = await startGatewayPlane({ mandates: MANDATES });
  await plane.bus.close();
  for (const path of ['/v1/actions?waitMs=60000', '/v1/actions']) {
    const startedMs = performance.now();
    const { status, body, headers } = await plane.call('publisher', 'POST', path, look('a-1'));
    expect(performance.now() - startedMs).toBeLessThan(10_000);
    expect(status).toBe(503);
    expect(headers.get('retry-after')).toBe('1');
    expect(body).toMatchObject({
      detail: expect.stringContaining('may or may not be on it'),
      remedy: expect.stringContaining('not decided or charged twice'),
    });
  }
  expect((await plane.call(null, 'GET', '/readyz')).status).toBe(503);
});

test('if the decisions cannot be followed any more, the gateway fails', async () => {
  const plane = await startGatewayPlane({ mandates: MANDATES });
  await plane.bus.append(TOPICS.decisions, [{ key: null, value: 'not a record' }]);
  await expect(plane.gateway.finished).rejects.toThrow();
});
