/**
 * Follows an action that waits for a person, from the question to the one call that the approval allows. The plane
 * restarts in between.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createApiClient } from '@mandate/client';
import { openPlane, planeConfig } from '@mandate/plane';
import { silentLogger } from '@mandate/runtime';
import type { Decision } from '@mandate/schemas';
import { temporaryFolder, waitUntil } from '@mandate/testing';
import { expect, test } from 'vitest';

const MANDATE = `
version: 1
id: careful
agents: ["*"]
toolPolicies: { pay: { cost: 0.10, requiresConfirmation: true } }
`;

type Approval = {
  id: string;
  decisionId: string;
  actionId: string;
  decided: object | null;
  answer: object | null;
};

test('an open question has all details that a person needs, survives a restart, and its approval allows one call', async () => {
  const data = temporaryFolder();
  const mandates = join(data, 'mandates.yaml');
  writeFileSync(mandates, MANDATE);
  await using running = new AsyncDisposableStack();
  const settings = { PLANE_DATA_PATH: data, PLANE_MANDATES_PATH: mandates, PLANE_PORT: 0 };
  const open = async () =>
    running.adopt(await openPlane(planeConfig.parse(settings), silentLogger()), (plane) => plane.stop());
  const first = await open();
  const key = first.firstKeys.find(({ name }) => name === 'operator')?.key;
  let api = createApiClient({ url: first.url, key });
  const pay = async (id: string) => {
    const args = { to: 'the bank', password: 'hunter-2' };
    const claims = {
      estimatedCostMicros: 0,
      principal: { id: 'ann', role: 'admin' },
      context: { environment: 'prod', token: 'hunter-2' },
    };
    const body = { id, agentId: 'bot', type: 'tool_call', tool: 'pay', args, ...claims };
    const query = { waitMs: 20_000 };
    return (await api.post<{ decision: Decision }>('/v1/actions', body, { query })).decision;
  };
  const listed = async (state: string) =>
    (await api.get<{ approvals: Approval[] }>('/v1/approvals', { state })).approvals;

  const deferred = await pay('p-1');
  expect(deferred).toMatchObject({ verdict: 'DEFER', code: 'APPROVAL_REQUIRED' });
  const [waiting] = await waitUntil('it is on record', async () => {
    const found = await listed('waiting');
    return found.length === 1 && found;
  });
  expect(waiting).toMatchObject({
    decisionId: deferred.id,
    agentId: 'bot',
    actionId: 'p-1',
    attempt: 1,
    tool: 'pay',
    args: { to: 'the bank', password: '[redacted]' },
    costMicros: 100_000,
    estimatedCostMicros: 0,
    principal: { id: 'ann', role: 'admin' },
    context: { environment: 'prod', token: '[redacted]' },
    pinned: [],
    digest: deferred.digest,
    since: deferred.decidedAt,
    decided: null,
    answer: null,
  });
  const path = `/v1/approvals/${waiting?.id}`;
  expect(deferred.remedy).toContain(`POST ${path}/approve`);

  await first.stop();
  const second = await open();
  api = createApiClient({ url: second.url, key });
  expect(await listed('waiting')).toEqual([waiting]);
  expect(await pay('p-1')).toMatchObject({ verdict: 'DEFER', kind: 'duplicate' });
  await api.post(`${path}/approve`, { reason: 'looked at it', expiresInMs: 3_600_000 });
  await waitUntil('the answer is on record', async () => {
    const { answer } = await api.get<Approval>(path);
    return answer;
  });
  expect(await listed('waiting')).toEqual([]);
  expect(await api.get('/v1/approvals', { limit: 1, agent: 'bot' })).toMatchObject({ waiting: 0 });
  expect(await listed('all')).toMatchObject([
    { id: waiting?.id, answer: { answer: 'granted', reason: 'looked at it', usedBy: null } },
  ]);

  const allowed = await pay('p-1');
  expect(allowed).toMatchObject({ verdict: 'ALLOW', grantConsumed: true });
  expect(await pay('p-2')).toMatchObject({ verdict: 'DEFER', code: 'APPROVAL_REQUIRED' });
  await waitUntil('the other one waits', async () => {
    const [other, ...none] = await listed('waiting');
    return other?.actionId === 'p-2' && none.length === 0;
  });
  expect(await listed('all')).toMatchObject([
    { actionId: 'p-2', decided: null },
    {
      id: waiting?.id,
      decided: { id: allowed.id, verdict: 'ALLOW', code: 'ALLOWED' },
      answer: { answer: 'granted', usedBy: allowed.id },
    },
  ]);
});
