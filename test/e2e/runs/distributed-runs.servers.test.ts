/** Two runners share the runs of a distributed plane on Kafka. Runners and gateways are killed while runs are under way. */
import { describeWithOwnServers, waitUntil } from '@mandate/testing';
import type { ModelScript } from '@mandate/testing/model-server';
import { afterAll, beforeAll, expect, onTestFailed, test } from 'vitest';
import { type AloneService, type DistributedPlane, startDistributedPlane } from './distributed-plane.ts';
import { HOLDS, HOLDS_OR_PAYS, REFUND, USAGE } from './run-scene.ts';

const named = (name: string, more: object = {}) => ({
  ...REFUND,
  metadata: { ...REFUND.metadata, name },
  ...more,
});
const NO_QUESTIONS = { risk: { critical: {} } };

/** The model answers the writer of this manifest only once the test lets it go. */
const THINKS = named('thinks', {
  definitions: { writer: { ...REFUND.definitions.writer, goal: 'Think.' } },
  workflow: { start: 'think', steps: { think: { type: 'agent', agent: 'writer' } } },
  interface: { inputs: {} },
});
const thinking = { asked: 0, answers: Promise.withResolvers<void>() };

const script: ModelScript = async (request) => {
  if (!JSON.stringify(request.body).includes('Think.')) return HOLDS_OR_PAYS(request);
  thinking.asked += 1;
  await thinking.answers.promise;
  return { text: 'Thought.', usage: USAGE };
};

describeWithOwnServers(['kafka', 'redis'], 'runs on a distributed plane', () => {
  let plane: DistributedPlane;
  let runners: AloneService[];

  beforeAll(async () => {
    plane = await startDistributedPlane(
      script,
      ['refund', 'quick', 'holds', 'thinks'].flatMap((id) => [id, `${id}.*`]),
    );
    runners = await Promise.all([plane.startRunner(), plane.startRunner()]);
    await plane.publish(REFUND);
    await plane.publish(named('quick'), NO_QUESTIONS);
    await plane.publish(HOLDS, NO_QUESTIONS);
    await plane.publish(THINKS);
  });
  afterAll(() => plane?.stop());

  const effectsOf = (tool: string, run: string) =>
    plane.effects().filter((line) => line.startsWith(`${tool} ${run}:`));

  test('runs complete, and each tool is called once', async () => {
    onTestFailed(() => console.error(plane.errors()));
    const runs = await Promise.all(Array.from({ length: 8 }, () => plane.run('quick', { customer: 'Ada' })));
    for (const id of runs) {
      await plane.until(id, 'completed');
      expect(effectsOf('pay', id)).toHaveLength(1);
    }
  });

  test('after kill -9 of a runner the other runner takes over, and only calls of the killed runner wait for a person', async () => {
    onTestFailed(() => console.error(plane.errors()));
    const runs = await Promise.all(Array.from({ length: 16 }, () => plane.run('holds')));
    await waitUntil('every run to have called its tool', () =>
      runs.every((id) => effectsOf('hold', id).length === 1),
    );
    await runners[0]?.kill('SIGKILL');
    const statuses = async () => Promise.all(runs.map(async (id) => (await plane.show(id)).status));
    await waitUntil('the runs of the killed runner to wait for a person', async () =>
      (await statuses()).includes('waiting'),
    );
    plane.letGo();
    const waiting: string[] = [];
    for (const id of runs) {
      const run = await plane.until(id, 'waiting', 'completed');
      expect(effectsOf('hold', id)).toHaveLength(1);
      if (run.status === 'completed') continue;
      expect(run.waiting).toMatchObject({ for: 'resolution', step: 'refund', tool: 'hold' });
      waiting.push(id);
    }
    expect(waiting.length).toBeGreaterThan(0);
    expect(waiting.length).toBeLessThan(runs.length);
    for (const [at, id] of waiting.entries()) {
      const done = at % 2 === 0;
      await plane.resolve(id, 'refund', done ? { done, output: 'Held.' } : { done });
      await plane.until(id, 'completed');
      expect(effectsOf('hold', id)).toHaveLength(done ? 1 : 2);
    }
  });

  test('a runner that stops finishes its calls, and another runner continues', async () => {
    onTestFailed(() => console.error(plane.errors()));
    plane.holdAgain();
    const runs = await Promise.all(Array.from({ length: 4 }, () => plane.run('holds')));
    await waitUntil('every run to have called its tool', () =>
      runs.every((id) => effectsOf('hold', id).length === 1),
    );
    const stopped = runners[1]?.kill('SIGTERM');
    plane.letGo();
    expect(await stopped).toBe(0);
    await plane.startRunner();
    for (const id of runs) {
      await plane.until(id, 'completed');
      expect(effectsOf('hold', id)).toHaveLength(1);
    }
  });

  test('a run that waits for a person continues after a new gateway, which does not know the question', async () => {
    onTestFailed(() => console.error(plane.errors()));
    const id = await plane.run('refund', { customer: 'Ada' });
    const waiting = await plane.until(id, 'waiting');
    await plane.replaceGateway();
    await plane.approve(waiting);
    await plane.until(id, 'completed');
    expect(effectsOf('pay', id)).toHaveLength(1);
  });

  test('a run goes on after kill -9 of every runner and of the gateway', async () => {
    onTestFailed(() => console.error(plane.errors()));
    const id = await plane.run('thinks');
    await waitUntil('the model to be asked', () => thinking.asked > 0);
    await plane.killRunners();
    await plane.replaceGateway();
    thinking.answers.resolve();
    await plane.startRunner();
    const run = await plane.until(id, 'completed');
    expect(run.outputs).toBe('Thought.');
    expect(thinking.asked).toBe(2);
  });
});
