import { expect, test } from 'vitest';
import { codeOf, refusalIn, sessionUnder } from './session.fixture.ts';

const DELETE = { name: 'delete', annotations: { destructiveHint: true, readOnlyHint: false } };
const READ = { name: 'read', annotations: { destructiveHint: true, readOnlyHint: true } };

test('asks a person before a tool that the server calls destructive, although the client read no list', async () => {
  const { call, lists } = sessionUnder({ tools: [DELETE, READ] });
  expect(codeOf(await call({ name: 'delete' }))).toBe('APPROVAL_REQUIRED');
  expect(codeOf(await call({ name: 'read' }))).toBe('ran');
  expect(lists()).toBe(1);
});

test('a policy takes precedence over the hint of the server', async () => {
  const toolPolicies = { delete: { requiresConfirmation: false } };
  const { call } = sessionUnder({ tools: [DELETE], mandate: { toolPolicies } });
  expect(codeOf(await call({ name: 'delete' }))).toBe('ran');
});

test('states the risk of the tool', async () => {
  const tools = [READ, { name: 'look', annotations: { readOnlyHint: true, openWorldHint: false } }];
  const { call } = sessionUnder({ tools });
  const riskOf = async (params: object, method?: string) =>
    ((await call(params, method)).action as { risk?: string } | undefined)?.risk;
  expect(await riskOf({ name: 'read' })).toBe('critical');
  expect(await riskOf({ name: 'look' })).toBe('safe');
  expect(await riskOf({ name: 'unlisted' })).toBe('critical');
  expect(await riskOf({ uri: 'a:b' }, 'resources/read')).toBe(undefined);
  const unhinted = sessionUnder({ tools, settings: { usesHints: false } });
  expect((await unhinted.call({ name: 'read' })).action).not.toHaveProperty('risk');
});

test('ignores the hints of the server if the setting says so', async () => {
  const { call, lists } = sessionUnder({ tools: [DELETE], settings: { usesHints: false } });
  expect(codeOf(await call({ name: 'delete' }))).toBe('ran');
  expect(lists()).toBe(0);
});

test('reads the hints again after the server changed its tools', async () => {
  const { call, change } = sessionUnder({ tools: [{ name: 'delete' }] });
  expect(codeOf(await call({ name: 'delete' }))).toBe('ran');
  change([DELETE]);
  expect(codeOf(await call({ name: 'delete' }))).toBe('APPROVAL_REQUIRED');
});

test('an approved call runs once when the client makes it again', async () => {
  const toolPolicies = { pay: { requiresConfirmation: true } };
  const { call, sdk } = sessionUnder({ mandate: { toolPolicies } });
  const asked = await call({ name: 'pay', arguments: { to: 'ann', amount: 5 } });
  const { approvalId = '' } = refusalIn(asked);
  await sdk.approve(approvalId);
  expect(codeOf(await call({ name: 'pay', arguments: { to: 'bob', amount: 5 } }))).toBe('APPROVAL_REQUIRED');
  expect(codeOf(await call({ name: 'pay', arguments: { amount: 5, to: 'ann' } }))).toBe('ran');
  expect(codeOf(await call({ name: 'pay', arguments: { to: 'ann', amount: 5 } }))).toBe('APPROVAL_REQUIRED');
});

test('the question stays the same if the client gives up while its call waits, and makes it again', async () => {
  const toolPolicies = { pay: { requiresConfirmation: true } };
  const { call, sent, sdk } = sessionUnder({
    mandate: { toolPolicies },
    settings: { defer: 'hold', holdMs: 60_000 },
  });
  const params = { name: 'pay', arguments: {}, _meta: { progressToken: 1 } };
  const leaving = new AbortController();
  const held = call(params, 'tools/call', leaving.signal);
  await expect.poll(() => sent.length).toBe(1);
  leaving.abort(new Error('gone'));
  await expect(held).rejects.toThrow('gone');
  const approvalId = /apv_[\w-]+/.exec(sent[0] ?? '')?.[0] ?? '';
  await sdk.approve(approvalId);
  expect(codeOf(await call(params))).toBe('ran');
});

test('calls with the same idempotency key from the client are one action', async () => {
  const { call } = sessionUnder({});
  const params = { name: 'pay', arguments: {}, _meta: { 'mandate/idempotencyKey': 'k1' } };
  expect(codeOf(await call(params))).toBe('ran');
  expect(codeOf(await call(params))).toBe('DUPLICATE_ACTION');
});

test('reads of resources and prompts are decided as tools with reserved names', async () => {
  const { call } = sessionUnder({ mandate: { allowedTools: ['resources/read'] } });
  expect(codeOf(await call({ uri: 'file:///a' }, 'resources/read'))).toBe('ran');
  expect(codeOf(await call({ name: 'p' }, 'prompts/get'))).toBe(-31_403);
});

test('puts the prefix before each name', async () => {
  const { call, list } = sessionUnder({
    mandate: { allowedTools: ['files.read'] },
    settings: { prefix: 'files.' },
    tools: [READ, DELETE],
  });
  expect(await list()).toEqual(['read']);
  expect(codeOf(await call({ name: 'read' }))).toBe('ran');
  expect(codeOf(await call({ name: 'delete' }))).toBe('TOOL_NOT_ALLOWED');
});

test('sends the call that was decided, with the bytes of the client', async () => {
  const { call } = sessionUnder({});
  const params = { name: 'pay', arguments: { b: 1, a: { c: [] } }, unknown: 'field', _meta: { x: 1 } };
  const { forward } = await call(params);
  expect(forward).toBe(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }));
});

const ASKING = { toolPolicies: { pay: { requiresConfirmation: true } } };
const SHOWING = {
  defer: 'elicit',
  holdMs: 60_000,
  approvalUrl: (id: string) => `https://console.example/${id}`,
} as const;
const SHOWS_ADDRESSES = { elicitation: { url: {} } };

test('in the older era, the user sees the address of the question, and the approved call runs', async () => {
  const { call, canDo, sdk } = sessionUnder({
    mandate: ASKING,
    settings: SHOWING,
    async ask(method, params) {
      const { elicitationId, url } = params as { elicitationId: string; url: string };
      expect([method, url]).toEqual(['elicitation/create', `https://console.example/${elicitationId}`]);
      await sdk.approve(elicitationId);
      return { action: 'accept' };
    },
  });
  canDo(SHOWS_ADDRESSES);
  expect(codeOf(await call({ name: 'pay' }))).toBe('ran');
});

test.each([
  ['declines', SHOWS_ADDRESSES, { action: 'decline' }],
  ['uses a client that shows no addresses', {}, { action: 'accept' }],
])('a user who %s gets the refusal with the question', async (_, capabilities, answer) => {
  const { call, canDo } = sessionUnder({ mandate: ASKING, settings: SHOWING, ask: async () => answer });
  canDo(capabilities);
  expect(refusalIn(await call({ name: 'pay' }))).toMatchObject({
    code: 'APPROVAL_REQUIRED',
    approvalId: expect.stringContaining('apv_'),
  });
});

test('in the new era, the result asks for the user, and the next round of the same call waits and runs once', async () => {
  const { call, sent, sdk } = sessionUnder({ mandate: ASKING, settings: SHOWING });
  const protocol = 'io.modelcontextprotocol';
  const _meta = {
    [`${protocol}/protocolVersion`]: '2026-07-28',
    [`${protocol}/clientCapabilities`]: SHOWS_ADDRESSES,
    progressToken: 1,
  };
  const { result } = await call({ name: 'pay', arguments: { to: 'ann' }, _meta });
  expect(result).toMatchObject({
    resultType: 'input_required',
    inputRequests: { approval: { method: 'elicitation/create', params: { mode: 'url' } } },
  });
  const { requestState } = result as { requestState: string };
  const round = { name: 'pay', _meta, requestState, inputResponses: { approval: { action: 'accept' } } };
  const other = await call({ ...round, arguments: { to: 'bob' } });
  expect(other.result?.resultType).toBe('input_required');
  const waiting = call({ ...round, arguments: { to: 'ann' } });
  const { approval } = (result as { inputRequests: { approval: { params: { elicitationId: string } } } })
    .inputRequests;
  await expect.poll(() => sent.length).toBe(1);
  await sdk.approve(approval.params.elicitationId);
  const { forward } = await waiting;
  expect(forward).not.toContain('requestState');
  expect(codeOf(await call({ ...round, arguments: { to: 'ann' } }))).toBe('DUPLICATE_ACTION');
});
