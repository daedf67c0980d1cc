/** A person lets a failed run go on, over HTTP: a real plane, a real MCP server, and a model server. */
import { waitUntil } from '@mandate/testing';
import type { ModelScript } from '@mandate/testing/model-server';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { PAYS, REFUND, type RunPlane, type ShownRun, startRunPlane, USAGE } from './run-plane.ts';

let plane: RunPlane;

beforeAll(async () => {
  plane = await startRunPlane({ script: PAYS });
  return () => plane.stop();
});

const paysOf = (run: string) => plane.effects().filter((line) => line.startsWith(`pay ${run}:`));
const retry = (run: string) => plane.api().post(`/v1/runs/${run}/retry`);

test('a retry requests a call of a model again that was finally refused', async () => {
  await plane.publish(REFUND, { maxCostTotal: 0.000001 });
  const id = await plane.run('refund', { customer: 'Ada' });
  expect((await plane.until(id, 'failed')).failure).toMatchObject({ code: 'COST_LIMIT_EXCEEDED' });
  await retry(id);
  // The reason still holds, so the run fails with the same code.
  await plane.until(id, 'failed');
  await plane.publish(REFUND, { maxCostTotal: 5 });
  await retry(id);
  await plane.approve(await plane.until(id, 'waiting'));
  expect((await plane.until(id, 'completed')).outputs).toEqual({ summary: 'Ada was paid.' });
  const asked = (await plane.events(id)).flatMap((event) =>
    event.event === 'call.begun' && event.call.type === 'model' ? [event.actionId] : [],
  );
  const place = `${id}:refund:1:m1`;
  expect(asked.slice(0, 4)).toEqual([place, `${place}~1`, `${place}~2`, `${id}:refund:1:m2`]);
});

test('a retry requests a call of a tool again that the kill switch refused, and a person confirms the new question', async () => {
  await plane.publish(REFUND, { maxCostTotal: 5 });
  const id = await plane.run('refund', { customer: 'Ada' });
  const waiting = await plane.until(id, 'waiting');
  await plane.api().post('/v1/agents/refund.clerk/kill', { reason: 'stop' });
  await plane.approve(waiting);
  expect((await plane.until(id, 'failed')).failure).toMatchObject({ code: 'AGENT_KILLED' });
  await plane.api().post('/v1/agents/refund.clerk/revive', { reason: 'go on' });
  await retry(id);
  const again = await plane.until(id, 'waiting');
  expect(again.waiting).toMatchObject({ approvals: [{ actionId: `${id}:refund:1:t2~1` }] });
  await plane.approve(again);
  await plane.until(id, 'completed');
  expect(paysOf(id)).toEqual([`pay ${id}:refund:1:t2~1`]);
});

test('a retry requests the refused calls of the last turn again, except those that were reported to the model', async () => {
  plane.models.script(PAYS_TWICE);
  onTestFinished(() => plane.models.script(PAYS));
  // A manifest of its own, because a critical tool may be called ten times an hour.
  await plane.publish({ ...REFUND, metadata: { ...REFUND.metadata, name: 'Twice' } }, { maxCostTotal: 5 });
  const id = await plane.run('twice', { customer: 'Ada' });
  await plane.approve(await untilAsked(id, ['t1']), 'deny');
  await plane.approve(await untilAsked(id, ['t2', 't3', 't4', 't5']), 'deny');
  expect((await plane.until(id, 'failed')).failure).toMatchObject({ code: 'TOO_MANY_REFUSALS' });
  await retry(id);
  await plane.approve(await untilAsked(id, ['t2~1', 't3~1', 't4~1', 't5~1']));
  await plane.until(id, 'completed');
  const paid = ['t2~1', 't3~1', 't4~1', 't5~1'].map((call) => `pay ${id}:refund:1:${call}`);
  expect(paysOf(id).toSorted()).toEqual(paid);
  const told = plane.models.requests.findLast(
    ({ body }) => !JSON.stringify(body).includes('Say it in short.'),
  );
  const results = told?.body.messages.filter(({ role }: { role: string }) => role === 'tool');
  expect(results.map(({ content }: { content: string }) => content.slice(0, 15))).toEqual([
    'APPROVAL_DENIED',
    ...Array.from({ length: 4 }, () => 'Paid 3 dollars '),
  ]);
});

test.each([
  ['of the manifest', 'family', true],
  ['of its agent', 'member.clerk', false],
] as const)(
  'a call with effects that a kill %s cut off is not made again by itself',
  async (_, killed, subtree) => {
    const [name = ''] = killed.split('.');
    plane.models.script(HANGS);
    onTestFinished(() => plane.models.script(PAYS));
    const { clerk } = REFUND.definitions;
    const hang = { ...REFUND.definitions.pay, name: 'Hang' };
    const definitions = { ...REFUND.definitions, hang, clerk: { ...clerk, tools: ['hang'] } };
    await plane.publish(
      { ...REFUND, metadata: { ...REFUND.metadata, name }, definitions },
      { risk: { critical: {} } },
    );
    const id = await plane.run(name, { customer: 'Ada' });
    const calls = () => plane.effects().filter((line) => line.startsWith(`hang ${id}:`));
    await waitUntil('the tool is called', () => calls().length === 1);
    await plane.api().post(`/v1/agents/${killed}/kill`, { subtree, reason: 'stop' });
    expect((await plane.until(id, 'failed')).failure).toMatchObject({ code: 'AGENT_KILLED' });
    await plane.api().post(`/v1/agents/${killed}/revive`, { subtree, reason: 'go on' });
    await retry(id);
    const waiting = await plane.until(id, 'waiting');
    expect(waiting.waiting).toMatchObject({ for: 'resolution', step: 'refund', tool: 'hang' });
    expect(calls()).toHaveLength(1);
    await plane.api().post(`/v1/runs/${id}/steps/refund/resolve`, { done: true, output: 'Paid.' });
    await plane.until(id, 'completed');
    expect(calls()).toHaveLength(1);
  },
);

/** Waits until the run waits for exactly these calls. */
function untilAsked(id: string, calls: readonly string[]): Promise<ShownRun> {
  const expected = calls.map((call) => `${id}:refund:1:${call}`).join();
  return waitUntil(`the run ${id} asks for ${calls.join()}`, async () => {
    const run = await plane.show(id);
    if (run.waiting?.for !== 'approval') return null;
    const asked = run.waiting.approvals.map(({ actionId }) => actionId).toSorted();
    return asked.join() === expected ? run : null;
  });
}

type Asked = { body: { messages: readonly { role: string }[] } };

/** The clerk pays once in its first turn, and four times in its second. */
const PAYS_TWICE = (({ body: { messages } }: Asked) => {
  if (JSON.stringify(messages).includes('Say it in short.')) return { text: 'Ada was paid.', usage: USAGE };
  const pay = { name: 'pay', args: { customer: 'Ada', amount: 3 } };
  const turns = [1, 4].map((calls) => ({
    toolCalls: Array.from({ length: calls }, () => pay),
    usage: USAGE,
  }));
  return turns[messages.filter(({ role }) => role === 'assistant').length] ?? { text: 'Paid.', usage: USAGE };
}) as unknown as ModelScript;

/** The clerk calls the tool that never answers. */
const HANGS = (({ body: { messages } }: Asked) => {
  if (JSON.stringify(messages).includes('Say it in short.')) return { text: 'Ada was paid.', usage: USAGE };
  const isFirst = !messages.some(({ role }) => role === 'assistant');
  return isFirst
    ? { toolCalls: [{ name: 'hang', args: {} }], usage: USAGE }
    : { text: 'Paid.', usage: USAGE };
}) as unknown as ModelScript;
