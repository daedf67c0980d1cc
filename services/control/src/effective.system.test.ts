/** What an agent may do, now and at a moment of the past. */
import { expect, test } from 'vitest';
import { controlOn, NOW_MS, openLog } from './control-server.fixture.ts';

const MINUTE_MS = 60_000;
const at = (minutes: number) => new Date(NOW_MS + minutes * MINUTE_MS).toISOString();

/** A control service. Each change of the history is made a minute after the change before. */
async function scene() {
  let nowMs = NOW_MS;
  const { call, passes } = await controlOn(await openLog(() => nowMs));
  const change = async (method: string, path: string, body: object) => {
    const answer = await call('author', method, path, { body });
    expect([path, answer.status < 300, answer.body.detail]).toEqual([path, true, undefined]);
    nowMs += MINUTE_MS;
    passes(MINUTE_MS);
  };
  const effective = async (id: string, query = '') => {
    const { status, body } = await call('auditor', 'GET', `/v1/agents/${id}/effective${query}`);
    return { status, ...body };
  };
  await change('POST', '/v1/agents', { id: 'lead', groups: ['leads'] });
  await change('POST', '/v1/agents', { id: 'bot-1', groups: ['support'], parent: 'lead' });
  await change('POST', '/v1/policies', {
    version: 1,
    id: 'reads',
    allowedTools: ['read_*'],
    maxCostTotal: 5,
  });
  await change('POST', '/v1/rules', {
    version: 1,
    id: 'all-read',
    policy: 'reads',
    groups: ['support', 'leads'],
  });
  return { call, change, effective };
}

test('shows the rules and policies of an agent and of its ancestors, with their revisions', async () => {
  const { change, effective } = await scene();
  const when = { field: 'context.environment', op: '==', value: 'prod' };
  await change('POST', '/v1/rules', {
    version: 1,
    id: 'in-prod',
    policy: 'reads@1',
    agents: ['bot-*'],
    when,
  });
  await change('POST', '/v1/rules', { version: 1, id: 'later', policy: 'reads', startsAt: at(60) });
  await change('PUT', '/v1/policies/reads', { version: 1, id: 'reads', allowedTools: ['read_*', 'list'] });
  const plain = { mode: 'enforce', isConditional: false };
  const reads = { rule: 'all-read', revision: 6, policy: 'reads@2', ...plain };
  expect(await effective('bot-1', '?expand=policies')).toMatchObject({
    ...{
      status: 'registered',
      agentRevision: 3,
      agent: { id: 'bot-1' },
      ancestors: ['lead'],
      isComplete: true,
    },
    rules: [
      { ...reads, ancestor: null },
      { ...plain, rule: 'in-prod', policy: 'reads@1', ancestor: null, isConditional: true },
      { ...reads, ancestor: 'lead' },
    ],
    appliedPolicies: [
      { name: 'reads@2', isMissing: false, policy: { allowedTools: ['read_*', 'list'] } },
      { name: 'reads@1', policy: { maxCostTotal: 5 } },
    ],
    policyRevisions: { 'reads@1': 5 },
  });
  const future = await effective('bot-1', `?at=${at(61)}`);
  expect(future.rules.map(({ rule }: { rule: string }) => rule)).toContain('later');
  expect(await effective('bot-2')).toMatchObject({ status: 'unregistered', rules: [], agent: null });
});

test('shows a moment of the past as it was then', async () => {
  const { call, change, effective } = await scene();
  await change('PUT', '/v1/policies/reads', { version: 1, id: 'reads', allowedTools: ['list'] });
  await call('author', 'DELETE', '/v1/agents/bot-1');
  expect(await effective('bot-1')).toMatchObject({ status: 'retired', rules: [] });
  const before = await effective('bot-1', `?at=${at(4)}&expand=policies`);
  expect(before).toMatchObject({
    ...{ at: at(4), status: 'registered', revision: 7 },
    appliedPolicies: [{ name: 'reads@2', policy: { allowedTools: ['list'] } }],
  });
  expect(await effective('bot-1', `?at=${at(3.5)}`)).toMatchObject({
    ...{ revision: 6, appliedPolicies: [{ name: 'reads@1' }], policyRevisions: { 'reads@1': 5 } },
  });
  expect(await effective('bot-1', `?at=${at(2)}`)).toMatchObject({ status: 'registered', rules: [] });
  expect(await effective('bot-1', `?at=${at(-1)}`)).toMatchObject({ status: 'unregistered', revision: 0 });
});

test('shows no agent of another tenant, and refuses a text that is not a time', async () => {
  const { call, effective } = await scene();
  expect((await call('other', 'GET', '/v1/agents/bot-1/effective')).body).toMatchObject({
    ...{ status: 'unregistered', agent: null, rules: [] },
  });
  expect((await call('other', 'GET', `/v1/agents/bot-1/effective?at=${at(3.5)}`)).body).toMatchObject({
    ...{ status: 'unregistered', agent: null, rules: [] },
  });
  expect(await effective('bot-1', '?at=soon')).toMatchObject({ code: 'VALIDATION_FAILED' });
  expect((await call('operator', 'GET', '/v1/agents/bot-1/effective')).status).toBe(403);
});
