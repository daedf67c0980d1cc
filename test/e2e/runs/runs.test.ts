/** Runs of a published manifest, over HTTP: a real plane, a real MCP server, and a model server. */
import { beforeAll, expect, test } from 'vitest';
import { REFUND, type RunPlane, scripted, startRunPlane, USAGE } from './run-plane.ts';

let plane: RunPlane;

const turns = scripted([
  { toolCalls: [{ name: 'look', args: { customer: 'Ada' } }], usage: USAGE },
  { toolCalls: [{ name: 'pay', args: { customer: 'Ada', amount: 3 } }], usage: USAGE },
  { text: 'Ada was paid.', usage: USAGE },
]);

beforeAll(async () => {
  plane = await startRunPlane({ script: turns });
  await plane.publish(REFUND, { maxCostTotal: 5 });
});

test('a run calls models and tools under governance, waits for a person, and completes', async () => {
  const id = await plane.run('refund', { customer: 'Ada' });
  const waiting = await plane.until(id, 'waiting');
  expect(waiting.waiting).toMatchObject({ for: 'approval', step: 'refund' });
  expect(plane.effects().filter((line) => line.startsWith('pay'))).toEqual([]);
  await plane.approve(waiting);
  const done = await plane.until(id, 'completed');
  expect(done.outputs).toEqual({ summary: 'Ada was paid.' });
  expect(plane.effects().filter((line) => line.startsWith('pay'))).toHaveLength(1);
});
