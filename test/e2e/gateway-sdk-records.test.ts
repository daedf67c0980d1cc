/** Tests POST /v1/audit over HTTP: what an SDK decided itself is recorded, and the plane does not believe it. */
import { createHash } from 'node:crypto';
import { decisionId } from '@mandate/policy';
import { type ActionDecided, readSdkRecord, type SdkRecord, TOPICS } from '@mandate/schemas';
import { Mandate, planeOutput } from '@mandate/sdk';
import { expect, test } from 'vitest';
import { recordsOf, startGatewayPlane } from './support/gateway-plane.ts';
import { sdkRecords } from './support/sdk-records.ts';

const MANDATES = 'version: 1\nid: bots\nagents: ["*"]\nmaxCostTotal: 100\n';

async function planeWithRecords(quotas = {}) {
  const plane = await startGatewayPlane({ mandates: MANDATES, quotas });
  const onLog = async (): Promise<SdkRecord[]> =>
    (await recordsOf(plane.bus, TOPICS.sdkRecords)).map(({ value }) => readSdkRecord(value));
  const send = (body: unknown, key: 'sdk' | 'publisher' | 'owner' | 'auditor' = 'sdk') =>
    plane.call(key, 'POST', '/v1/audit', body);
  return { plane, onLog, send, ...(await sdkRecords()) };
}

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

test('records decisions and settlements with the tenant and the id of the key, and nothing on the decisions topic', async () => {
  const { plane, onLog, send, allow, settled, block } = await planeWithRecords();
  const before = await plane.decided();
  const { status, body } = await send([allow, settled, block]);
  expect([status, body]).toEqual([200, { recorded: 3 }]);
  const records = await onLog();
  const keyId = plane.key('sdk').slice(7, 19);
  expect(records.map(({ decidedBy }) => decidedBy)).toEqual([{ keyId }, { keyId }, { keyId }]);
  const byId = new Map(
    records.map((record) => {
      const content = record.event === 'sdk.decided' ? record.decision : record.settlement;
      return [content.id, content];
    }),
  );
  expect(byId.get(allow.decision.id)).toEqual({
    ...allow.decision,
    tenant: 'acme',
    action: { ...allow.decision.action, tenant: 'acme' },
  });
  expect(byId.get(settled.settlement.id)).toEqual({ ...settled.settlement, tenant: 'acme' });
  expect(await plane.decided()).toEqual(before);
  expect(await plane.ledger.balances('acme')).toEqual([]);
});

test('the audit of an SDK reports to the plane, and leaves out what the plane refuses', async () => {
  const { plane, onLog } = await planeWithRecords();
  const errors: unknown[] = [];
  const mandate = new Mandate({
    mandate: { toolPolicies: { pay: { cost: 5 } } },
    audit: [planeOutput({ url: plane.url, apiKey: plane.key('sdk') })],
    onError: (error) => errors.push(error),
  });
  await mandate.createExecutor({ agentId: 'bot-1' }).run('pay', { to: 'ann' }, () => 'paid');
  await mandate.flush();
  expect(mandate.getAuditCounts()).toEqual({ written: 2, waiting: 0, spilled: 0, lost: 0 });
  expect((await onLog()).map(({ event }) => event).sort()).toEqual(['sdk.decided', 'sdk.settled']);
  expect(errors).toEqual([]);
  // The key does not speak for this agent, so the records wait until it does.
  await mandate.createExecutor({ agentId: 'other-1' }).run('pay', {}, () => 'paid');
  await mandate.close({ timeoutMs: 200 });
  expect(mandate.getAuditCounts()).toMatchObject({ written: 2, lost: 2 });
  expect(String(errors[0])).toContain('AGENT_NOT_ALLOWED');
});

test('no caller gets the decision of an SDK as a decision of the plane', async () => {
  const { plane, send, allow } = await planeWithRecords();
  await plane.decide();
  expect((await send([allow])).status).toBe(200);
  const { actionId, agentId } = allow.decision;
  const shown = await plane.call('owner', 'GET', `/v1/actions/${actionId}?agentId=${agentId}`);
  expect(shown.status).toBe(404);
  // The plane decides the same action itself, and by its own mandate.
  const { action } = allow.decision;
  const asked = { id: action.id, agentId, type: 'tool_call', tool: 'pay', estimatedCostMicros: 7 };
  const decided = await plane.call('publisher', 'POST', '/v1/actions?waitMs=10000', asked);
  expect(decided.body.decision).toMatchObject({ verdict: 'ALLOW', kind: 'first', chargedMicros: 7 });
});

test('repeats of a record are in one partition, so the audit keeps the first', async () => {
  const { plane, send, allow } = await planeWithRecords();
  await send([allow]);
  const changed = { ...allow, decision: { ...allow.decision, reason: 'Nobody asked.' } };
  await send([allow, changed]);
  const records = await recordsOf(plane.bus, TOPICS.sdkRecords);
  expect(new Set(records.map(({ position }) => position.partition)).size).toBe(1);
  expect(records).toHaveLength(3);
});

type Change = (record: ActionDecided) => unknown;
const decision =
  (change: object): Change =>
  (record) => ({ ...record, decision: { ...record.decision, ...change } });

test.each<[string, Change, string, string]>([
  ['an unknown event', (record) => ({ ...record, event: 'ledger.epoch' }), '/event', ''],
  [
    'a missing field',
    ({ event, decision: { code: _, ...rest } }) => ({ event, decision: rest }),
    '/decision/code',
    '',
  ],
  ['another action', decision({ actionId: 'act_9' }), '/decision/action/id', 'is not the id'],
  ['another agent', decision({ agentId: 'bot-2' }), '/decision/action/agentId', 'is not the agent'],
  [
    'a charge that was not reserved',
    decision({ chargedMicros: 1 }),
    '/decision/chargedMicros',
    'reservation',
  ],
  ['a charge of a BLOCK', decision({ verdict: 'BLOCK' }), '/decision/chargedMicros', 'only an ALLOW'],
  ['an invented id', decision({ id: 'dec_01ke6qx4f8c6ede247811a2d78f78a' }), '/decision/id', 'is not the id'],
  [
    'a time in the future',
    decision({ decidedAt: '2999-01-01T00:00:00.000Z' }),
    '/decision/decidedAt',
    'future',
  ],
  [
    'an id with a time in the future',
    ({ event, decision: of }) => {
      const id = decisionId(of.source, Date.parse('2999-01-01T00:00:00.000Z'), of.kind, sha256);
      return { event, decision: { ...of, id } };
    },
    '/decision/id',
    'in the future',
  ],
  [
    'the log position of a decision of the plane',
    ({ event, decision: of }) => {
      const source = { topic: TOPICS.actions, partition: 0, offset: 1 };
      const id = decisionId(source, Date.now(), of.kind, sha256);
      return { event, decision: { ...of, source, id } };
    },
    '/decision/id',
    'is not the id',
  ],
])(
  'refuses %s, names the record and the field, and records nothing of the list',
  async (_what, change, pointer, reason) => {
    const { onLog, send, allow, block } = await planeWithRecords();
    const { status, body } = await send([block, change(allow)]);
    expect([status, body.code, body.errorCount]).toEqual([400, 'INVALID_AUDIT_RECORD', 1]);
    const [error] = body.errors as { index: number; pointer: string; detail: string }[];
    expect(error).toMatchObject({ index: 1, pointer });
    expect(error?.detail).toContain(reason);
    expect(await onLog()).toEqual([]);
  },
);

test('takes only lists of 1 to 500 records', async () => {
  const { onLog, send, block } = await planeWithRecords();
  for (const body of [block, [], Array.from({ length: 501 }, () => block)]) {
    expect(await send(body)).toMatchObject({ status: 400, body: { code: 'INVALID_AUDIT_RECORD' } });
  }
  expect(await onLog()).toEqual([]);
  expect((await send(Array.from({ length: 500 }, () => block))).body).toEqual({ recorded: 500 });
});

test('needs the scope record, and a key that speaks for the agent', async () => {
  const { onLog, send } = await planeWithRecords();
  const { allow } = await sdkRecords('other-1');
  expect(await send([allow])).toMatchObject({ status: 403, body: { code: 'AGENT_NOT_ALLOWED' } });
  const own = await sdkRecords();
  for (const key of ['publisher', 'owner', 'auditor'] as const)
    expect(await send([own.allow], key)).toMatchObject({ status: 403, body: { code: 'FORBIDDEN' } });
  expect(await onLog()).toEqual([]);
});

test('counts the records in the quota of what the key publishes', async () => {
  const quotas = { publishPerKey: { records: { perSecond: 1, burst: 5 } } };
  const { onLog, send, block } = await planeWithRecords(quotas);
  expect((await send([block, block, block])).status).toBe(200);
  expect(await send([block, block, block])).toMatchObject({
    status: 429,
    body: { code: 'TOO_MANY_RECORDS' },
  });
  expect(await onLog()).toHaveLength(3);
});
