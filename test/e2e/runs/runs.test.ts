/** Runs of published manifests, over HTTP: a real plane, a real MCP server, and a model server. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PAYS, REFUND, type RunPlane, startRunPlane } from './run-plane.ts';

let plane: RunPlane;

beforeAll(async () => {
  plane = await startRunPlane({ script: PAYS });
  await plane.publish(REFUND, { maxCostTotal: 5 });
});

afterAll(() => plane.stop());

const paysOf = (run: string) => plane.effects().filter((line) => line.startsWith(`pay ${run}:`));

test('calls models and tools under governance, waits for a person, and completes', async () => {
  const id = await plane.run('refund', { customer: 'Ada' });
  const waiting = await plane.until(id, 'waiting');
  expect(waiting.waiting).toMatchObject({
    ...{ for: 'approval', step: 'refund' },
    approvals: [{ agentId: 'refund.clerk', actionId: `${id}:refund:1:t2` }],
  });
  expect(paysOf(id)).toEqual([]);
  await plane.approve(waiting);
  const done = await plane.until(id, 'completed');
  expect(done.outputs).toEqual({ summary: 'Ada was paid.' });
  expect(paysOf(id)).toEqual([`pay ${id}:refund:1:t2`]);
  const events = await plane.events(id);
  expect(events.map(({ event }) => event)).toEqual([
    ...['run.started', 'step.begun', 'call.begun', 'call.completed', 'call.begun', 'call.completed'],
    ...[
      'call.begun',
      'call.completed',
      'call.begun',
      'step.deferred',
      'step.granted',
      'call.begun',
      'call.completed',
    ],
    ...['call.begun', 'call.completed', 'step.completed'],
    ...['step.begun', 'call.begun', 'call.completed', 'step.completed', 'run.completed'],
  ]);
});

test('a denied call is reported to the model, and is never made', async () => {
  const id = await plane.run('refund', { customer: 'Ada' });
  await plane.approve(await plane.until(id, 'waiting'), 'deny');
  const done = await plane.until(id, 'completed');
  expect(done.outputs).toEqual({ summary: 'Ada was paid.' });
  expect(paysOf(id)).toEqual([]);
  const refused = (await plane.events(id)).filter((event) => event.event === 'call.completed');
  expect(refused).toContainEqual(
    expect.objectContaining({
      answer: expect.objectContaining({ type: 'refused', code: 'APPROVAL_DENIED' }),
    }),
  );
});

test('a cancelled run makes no further call, and cannot be changed any more', async () => {
  const id = await plane.run('refund', { customer: 'Ada' });
  const waiting = await plane.until(id, 'waiting');
  await plane.api().post(`/v1/runs/${id}/cancel`, { reason: 'wrong customer' });
  await plane.approve(waiting);
  const ended = await plane.show(id);
  expect(ended).toMatchObject({
    status: 'cancelled',
    failure: { code: 'CANCELLED', reason: 'wrong customer', step: 'refund' },
  });
  await expect(plane.api().post(`/v1/runs/${id}/retry`)).rejects.toMatchObject({
    code: 'RUN_STATE_CONFLICT',
  });
  expect(paysOf(id)).toEqual([]);
});

test('a kill of the manifest stops its runs at the next action, and a revive and a retry let them go on', async () => {
  const id = await plane.run('refund', { customer: 'Ada' });
  const waiting = await plane.until(id, 'waiting');
  await plane.api().post('/v1/agents/refund/kill', { subtree: true, reason: 'stop' });
  await plane.approve(waiting);
  const failed = await plane.until(id, 'failed');
  expect(failed.failure).toMatchObject({ code: 'AGENT_KILLED' });
  expect(paysOf(id)).toEqual([]);
  const refused = await plane.run('refund', { customer: 'Ada' });
  expect((await plane.until(refused, 'failed')).failure).toMatchObject({ code: 'AGENT_KILLED' });
  await plane.api().post('/v1/agents/refund/revive', { subtree: true, reason: 'go on' });
  await plane.api().post(`/v1/runs/${refused}/retry`);
  await plane.approve(await plane.until(refused, 'waiting'));
  expect((await plane.until(refused, 'completed')).outputs).toEqual({ summary: 'Ada was paid.' });
  // The stream of a run that was retried goes beyond its first failure.
  const events = (await plane.events(refused)).map(({ event }) => event);
  expect(events.filter((event) => event === 'run.failed')).toHaveLength(1);
  expect(events.at(-1)).toBe('run.completed');
});

test('a run keeps to the version with which it began', async () => {
  const id = await plane.run('refund', { customer: 'Ada' });
  const waiting = await plane.until(id, 'waiting');
  const { refund, summarize } = REFUND.workflow.steps;
  const steps = { refund: { ...refund, next: 'check' }, check: { ...refund, next: 'summarize' }, summarize };
  const published = await plane.publish(
    { ...REFUND, workflow: { start: 'refund', steps } },
    { maxCostTotal: 5 },
  );
  expect(published.version).toBe(2);
  const later = await plane.run('refund', { customer: 'Ada' });
  await plane.approve(waiting);
  expect(Object.keys((await plane.until(id, 'completed')).steps)).toEqual(['refund', 'summarize']);
  await plane.approve(await plane.untilWaitingAt(later, 'refund'));
  await plane.approve(await plane.untilWaitingAt(later, 'check'));
  const done = await plane.until(later, 'completed');
  expect(Object.keys(done.steps)).toEqual(['refund', 'check', 'summarize']);
  await plane.publish(REFUND, { maxCostTotal: 5 });
});

test('a version without a step stops a run that still needs this step, because the policies in force decide', async () => {
  const id = await plane.run('refund', { customer: 'Ada' });
  const waiting = await plane.until(id, 'waiting');
  const { next: _, ...last } = REFUND.workflow.steps.refund;
  await plane.publish({ ...REFUND, workflow: { start: 'refund', steps: { refund: last } } });
  await plane.approve(waiting);
  expect((await plane.until(id, 'failed')).failure).toMatchObject({
    code: 'UNKNOWN_TOOL',
    step: 'summarize',
  });
  await plane.publish(REFUND, { maxCostTotal: 5 });
  await plane.api().post(`/v1/runs/${id}/retry`);
  expect((await plane.until(id, 'completed')).outputs).toEqual({ summary: 'Ada was paid.' });
});

describe('a request to start a run', () => {
  test('with wrong inputs writes nothing', async () => {
    await expect(plane.run('refund', { client: 'Ada' })).rejects.toMatchObject({ code: 'INPUT_INVALID' });
  });

  test('for another version, or for a manifest that was never published, is refused', async () => {
    const other = { hash: '0'.repeat(64) };
    await expect(plane.run('refund', { customer: 'Ada' }, other)).rejects.toMatchObject({
      code: 'MANIFEST_DIFFERS',
    });
    await expect(plane.run('unknown', {})).rejects.toMatchObject({ code: 'MANIFEST_NOT_PUBLISHED' });
  });

  test('with an idempotency key starts one run', async () => {
    const start = () =>
      plane
        .api()
        .post<{ id: string }>(
          '/v1/runs',
          { manifest: 'refund', inputs: { customer: 'Ada' } },
          { idempotencyKey: 'order-1' },
        );
    const [first, second] = await Promise.all([start(), start()]);
    expect(second?.id).toBe(first?.id);
    await plane.api().post(`/v1/runs/${first?.id}/cancel`, {});
  });
});
