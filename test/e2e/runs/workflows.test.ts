/** Workflows of each kind of step, and what becomes of steps that fail. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type RunPlane, startRunPlane, USAGE } from './run-plane.ts';

let plane: RunPlane;

/** The server answers by the goal in the system prompt, so that agents of one workflow answer differently. */
const answers = new Map<string, (call: number) => object>();
const calls = new Map<string, number>();

function answer({ body }: { body: { messages: readonly { content: unknown }[] } }): object {
  const text = JSON.stringify(body.messages);
  for (const [goal, reply] of answers) {
    if (!text.includes(goal)) continue;
    const call = (calls.get(goal) ?? 0) + 1;
    calls.set(goal, call);
    return { usage: USAGE, ...reply(call) };
  }
  return { text: 'nothing', usage: USAGE };
}

beforeAll(async () => {
  plane = await startRunPlane({ script: answer as never, runnerFile: { logic: { enabled: true } } });
});

afterAll(() => plane.stop());

let manifests = 0;

/** Publishes a manifest with these agents and steps. Returns its id. */
async function publish(
  agents: Record<string, { answers: (call: number) => object; outputs?: object }>,
  steps: Record<string, object>,
  more: object = {},
): Promise<string> {
  manifests += 1;
  const name = `flow ${manifests}`;
  const definitions = Object.fromEntries(
    Object.entries(agents).map(([key, { answers: reply, outputs }]) => {
      const goal = `goal-${manifests}-${key}-end`;
      answers.set(goal, reply);
      const sides = outputs === undefined ? {} : { interface: { outputs } };
      return [key, { type: 'agent', name: key, role: 'r', goal, model: 'gpt-4o', ...sides }];
    }),
  );
  const [start = ''] = Object.keys(steps);
  const published = await plane.publish({
    apiVersion: 'coreason.ai/v2',
    kind: 'Recipe',
    metadata: { name },
    definitions,
    workflow: { start, steps },
    ...more,
  });
  return published.id;
}

const json = (value: unknown) => () => ({ text: JSON.stringify(value) });

test('a switch loops until the state is good, and the limit of steps ends a loop in which it never is', async () => {
  const score = { score: { type: 'number' } };
  const steps = {
    write: { type: 'agent', agent: 'writer', next: 'judge' },
    judge: { type: 'switch', cases: { 'state.score > 0.5': 'done' }, default: 'write' },
    done: { type: 'agent', agent: 'closer' },
  };
  const closer = { answers: () => ({ text: 'closed' }) };
  const more = { state: { schema: score }, policy: { max_steps: 9 } };
  const good = await publish(
    {
      writer: { answers: (call) => ({ text: JSON.stringify({ score: call * 0.3 }) }), outputs: score },
      closer,
    },
    steps,
    more,
  );
  const done = await plane.until(await plane.run(good), 'completed');
  expect(done.steps).toMatchObject({ write: { visits: 2 }, judge: { visits: 2 }, done: { visits: 1 } });
  expect(done.outputs).toBe('closed');

  const never = await publish(
    { writer: { answers: json({ score: 0 }), outputs: score }, closer },
    steps,
    more,
  );
  const failed = await plane.until(await plane.run(never), 'failed');
  expect(failed.failure).toMatchObject({ code: 'STEP_LIMIT' });
});

test('a council decides by its strategy, and a voter with another word abstains', async () => {
  const id = await publish(
    {
      ann: { answers: json({ vote: 'approve', reason: 'good' }) },
      bob: { answers: json({ vote: 'approve' }) },
      eve: { answers: json({ vote: 'perhaps' }) },
    },
    { vote: { type: 'council', voters: ['ann', 'bob', 'eve'], strategy: 'majority' } },
  );
  const done = await plane.until(await plane.run(id), 'completed');
  expect(done.outputs).toEqual({
    ...{ decision: 'approve', decided: true },
    counts: { approve: 2, reject: 0 },
    abstained: ['eve'],
  });
});

test('a model that is down is called again in the next attempt, and the run completes', async () => {
  const id = await publish(
    {
      clerk: {
        answers: (call) => (call < 4 ? { failures: { status: 503, times: 1 } } : { text: 'at last' }),
      },
    },
    { only: { type: 'agent', agent: 'clerk' } },
    { policy: { max_retries: 3 } },
  );
  const run = await plane.run(id);
  expect((await plane.until(run, 'completed')).outputs).toBe('at last');
});

test('logic runs Python in its own process after a person has confirmed the code', async () => {
  const id = await publish(
    {},
    {
      sum: {
        type: 'logic',
        code: 'def run(inputs, state, steps):\n    return {"sum": inputs["a"] + inputs["b"]}\n',
        // biome-ignore lint/suspicious/noTemplateCurlyInString: the form of an expression in a manifest
        inputs: { a: '${inputs.a}', b: 2 },
      },
    },
    { interface: { inputs: { a: { type: 'number' } }, outputs: { sum: { type: 'number' } } } },
  );
  const run = await plane.run(id, { a: 40 });
  const waiting = await plane.until(run, 'waiting');
  expect(waiting.waiting).toMatchObject({ for: 'approval', step: 'sum' });
  await plane.approve(waiting);
  expect((await plane.until(run, 'completed')).outputs).toEqual({ sum: 42 });
});

test('outputs that the manifest does not accept fail the run', async () => {
  const id = await publish(
    { clerk: { answers: () => ({ text: 'no number' }) } },
    { only: { type: 'agent', agent: 'clerk' } },
    { interface: { outputs: { sum: { type: 'number' } } } },
  );
  const failed = await plane.until(await plane.run(id), 'failed');
  expect(failed.failure).toMatchObject({ code: 'OUTPUT_INVALID', step: null });
});

test('an agent loads its files of knowledge, as they were published', async () => {
  const manifest = {
    apiVersion: 'coreason.ai/v2',
    kind: 'Agent',
    metadata: { name: 'teas' },
    definitions: {
      expert: {
        ...{ type: 'agent', name: 'expert', role: 'r', goal: 'goal-of-teas', model: 'gpt-4o' },
        knowledge: ['teas/green.md', 'https://tea.example/all', 'vault-7'],
      },
    },
  };
  answers.set('goal-of-teas', (call) =>
    call === 1
      ? { toolCalls: [{ name: 'skill_load', args: { name: 'teas/green.md' } }] }
      : { text: 'Two minutes.' },
  );
  await plane.api().post('/v1/manifests', {
    manifest: JSON.stringify(manifest),
    files: { 'teas/green.md': 'Green tea draws for two minutes.' },
  });
  expect((await plane.until(await plane.run('teas'), 'completed')).outputs).toBe('Two minutes.');
  const [first, second] = plane.models.requests
    .map(({ body }) => JSON.stringify(body))
    .filter((body) => body.includes('goal-of-teas'));
  expect(first).toContain('teas/green.md');
  expect(first).not.toMatch(/two minutes|vault-7/);
  expect(second).toContain('Green tea draws for two minutes.');
});

test('a retry calls the model again if its last answers were unusable, and makes no other call again', async () => {
  const outputs = { score: { type: 'number' } };
  const id = await publish(
    { judge: { answers: (call) => ({ text: call < 3 ? 'good' : '{"score": 1}' }), outputs } },
    { judge: { type: 'agent', agent: 'judge' } },
  );
  const run = await plane.run(id);
  expect((await plane.until(run, 'failed')).failure).toMatchObject({ code: 'ANSWER_INVALID', step: 'judge' });
  await plane.api().post(`/v1/runs/${run}/retry`);
  expect((await plane.until(run, 'completed')).outputs).toEqual({ score: 1 });
  const asked = (await plane.events(run)).flatMap((event) =>
    event.event === 'call.begun' ? [event.actionId] : [],
  );
  expect(asked).toEqual([`${run}:judge:1:m1`, `${run}:judge:1:m2`, `${run}:judge:1:m1~1`]);
});
