/** Tests POST /v1/context over HTTP: the records of context builders reach their topic, and nothing else changes. */
import { createHash } from 'node:crypto';
import { readContextRecord, sortableId, TOPICS } from '@mandate/schemas';
import { expect, test } from 'vitest';
import { type KeyName, recordsOf, startGatewayPlane } from './support/gateway-plane.ts';

const MANDATES = 'version: 1\nid: bots\nagents: ["*"]\nmaxCostTotal: 100\n';

const MANIFEST = {
  focus: 'Who Ann is',
  question_type: 'relationship_identity',
  context_early: ['Ann is a sister'],
  context_reinforce: [],
  answer_guidance: ['Name Ann'],
};

/** Returns a record as a program reports it. */
function reported(name: string, change: object = {}, step: object = {}) {
  const id = sortableId('ctx', Date.now(), createHash('sha256').update(name).digest('hex'));
  return {
    event: 'context.built',
    build: {
      ...{ id, agentId: 'bot-1', requestId: name, actionId: null, parentActionId: null, principal: null },
      builtAt: new Date().toISOString(),
      steps: {
        manifest_builder: {
          ...{ enabled: true, skipped: false, skip_reason: null, template_key: 't', input: null },
          ...{ output: MANIFEST, latency_ms: 1, prompt_debug: null, error: null, ...step },
        },
      },
      ...change,
    },
  };
}

async function planeWithBuilds(options: Partial<Parameters<typeof startGatewayPlane>[0]> = {}) {
  const plane = await startGatewayPlane({ mandates: MANDATES, ...options });
  const onLog = async () => recordsOf(plane.bus, TOPICS.context);
  const builds = async () => (await onLog()).map(({ value }) => readContextRecord(value));
  const send = (body: unknown, key: KeyName = 'publisher') => plane.call(key, 'POST', '/v1/context', body);
  return { plane, onLog, builds, send };
}

test('records builds with the tenant and the id of the key, and decides nothing', async () => {
  const { plane, builds, send } = await planeWithBuilds();
  const before = await plane.decided();
  const record = reported('one', { principal: { id: 'mia', role: 'user' } });
  expect(await send([record])).toMatchObject({ status: 200, body: { recorded: 1 } });
  expect(await builds()).toEqual([
    {
      event: 'context.built',
      reportedBy: { keyId: plane.key('publisher').slice(7, 19) },
      build: { ...record.build, tenant: 'acme' },
    },
  ]);
  expect(await plane.decided()).toEqual(before);
  expect(await plane.ledger.balances('acme')).toEqual([]);
});

test('repeats of a record are in one partition, so the audit keeps the first', async () => {
  const { onLog, send } = await planeWithBuilds();
  const record = reported('one');
  for (let times = 0; times < 3; times += 1) await send([record]);
  const records = await onLog();
  expect(records.map(({ key }) => key?.toString())).toEqual(['acme/bot-1', 'acme/bot-1', 'acme/bot-1']);
  expect(new Set(records.map(({ position }) => position.partition)).size).toBe(1);
});

test.each<[string, object, string]>([
  ['an unknown event', { ...reported('x'), event: 'context.read' }, '/event'],
  ['another id', reported('x', { id: 'act_1' }), '/build/id'],
  ['an id with another prefix', reported('x', { id: sortableId('dec', 1, 'a'.repeat(20)) }), '/build/id'],
  ['an id from the future', reported('x', { id: sortableId('ctx', 9e12, 'a'.repeat(20)) }), '/build/id'],
  ['a time in the future', reported('x', { builtAt: '2999-01-01T00:00:00.000Z' }), '/build/builtAt'],
  [
    'an unknown error',
    reported('x', {}, { error: { code: 'MAYBE' } }),
    '/build/steps/manifest_builder/error/code',
  ],
  [
    'more items than a manifest has',
    reported('x', {}, { output: { ...MANIFEST, context_early: ['1', '2', '3', '4'] } }),
    '/build/steps',
  ],
  ['a long item', reported('x', {}, { output: { ...MANIFEST, focus: 'x'.repeat(601) } }), '/build/steps'],
])('refuses a list with %s, and records nothing', async (_, bad, pointer) => {
  const { onLog, send } = await planeWithBuilds();
  const { status, body } = await send([reported('good'), bad]);
  expect([status, body.code, body.errorCount]).toEqual([400, 'INVALID_CONTEXT_RECORD', 1]);
  expect(body.errors).toMatchObject([{ index: 1, pointer }]);
  expect(await onLog()).toEqual([]);
});

test('takes only lists of 1 to 500 records', async () => {
  const { send } = await planeWithBuilds();
  for (const body of [reported('a'), [], Array.from({ length: 501 }, () => reported('a'))])
    expect(await send(body)).toMatchObject({ status: 400, body: { code: 'INVALID_CONTEXT_RECORD' } });
});

test('needs a key that publishes for the agent', async () => {
  const { onLog, send } = await planeWithBuilds();
  const others = reported('x', { agentId: 'other-1' });
  expect(await send([others])).toMatchObject({ status: 403, body: { code: 'AGENT_NOT_ALLOWED' } });
  for (const key of ['sdk', 'auditor', 'operator'] as const)
    expect(await send([reported('x')], key)).toMatchObject({ status: 403, body: { code: 'FORBIDDEN' } });
  expect(await onLog()).toEqual([]);
});

test('counts the records in the quota of what the key publishes', async () => {
  const quotas = { publishPerKey: { records: { perSecond: 1, burst: 5 } } };
  const { onLog, send } = await planeWithBuilds({ quotas });
  const three = [reported('a'), reported('b'), reported('c')];
  expect((await send(three)).status).toBe(200);
  expect(await send(three)).toMatchObject({ status: 429, body: { code: 'TOO_MANY_RECORDS' } });
  expect(await onLog()).toHaveLength(3);
});
