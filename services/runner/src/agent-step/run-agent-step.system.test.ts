/** Tests the step of an agent on a real plane, with a model server and a real MCP server. */
import type { Json } from '@mandate/schemas';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runAgentStep } from './run-agent-step.ts';
import {
  depsOf,
  type Family,
  journal,
  type Scene,
  scripted,
  startScene,
  stepOf,
  toolOf,
} from './scene.fixture.ts';

let scene: Scene;

beforeAll(async () => {
  scene = await startScene();
});
afterAll(() => scene.stop());

const look = { name: 'look', args: { customer: 'Ada' } };
const pay = { name: 'pay', args: { customer: 'Ada', amount: 3 } };

type Changes = {
  step?: Parameters<typeof stepOf>[2];
  deps?: Parameters<typeof depsOf>[3];
  actionId?: string;
};

/** Runs a step. `log` has all events, those of the history included. */
async function run(family: Family, { step = {}, deps = {}, actionId }: Changes = {}) {
  const id = actionId ?? (await family.begin());
  const log = journal(step.history ?? []);
  const result = await runAgentStep(
    stepOf(family, id, step),
    depsOf(scene, family, id, { journal: log, ...deps }),
  );
  return { actionId: id, result, log: log.log };
}

/** The messages of the newest request to the model server. */
function newestMessages(): { role: string; content: string }[] {
  return scene.models.requests.at(-1)?.body.messages;
}

const effectsOf = (actionId: string) => scene.effects().filter((line) => line.includes(` ${actionId}:`));

describe('a step', () => {
  let family: Family;
  beforeAll(async () => {
    family = await scene.family();
  });

  test('asks the model, calls its tools together, and gives the last answer', async () => {
    scene.models.script(scripted([{ toolCalls: [look, pay] }, { text: 'Ada was paid.' }]));
    const { actionId, result, log } = await run(family);
    expect(result).toEqual({ status: 'completed', output: 'Ada was paid.' });
    expect(effectsOf(actionId).toSorted()).toEqual([`look ${actionId}:t1`, `pay ${actionId}:t2`]);
    const ids = log.filter(({ event }) => event === 'call.completed').map((event) => event.actionId);
    expect(ids.toSorted()).toEqual(['m1', 'm2', 't1', 't2'].map((call) => `${actionId}:${call}`));
    expect(newestMessages()).toMatchObject([
      { role: 'system', content: 'You are a clerk.\n\nYour goal: Pay what is due.' },
      { role: 'user', content: 'Your inputs, as JSON:\n{\n  "customer": "Ada"\n}' },
      { role: 'assistant' },
      { role: 'tool', tool_call_id: 'call_1_1', content: 'Ada has 40 dollars.' },
      { role: 'tool', tool_call_id: 'call_1_2', content: 'Paid 3 dollars to Ada.' },
    ]);
  });

  test('makes each call an action of the agent, below the action of the step', async () => {
    scene.models.script(scripted([{ toolCalls: [pay] }, { text: 'done' }]));
    const { actionId } = await run(family);
    for (const call of ['m1', 't1', 'm2']) {
      const path = `/v1/actions/${encodeURIComponent(`${actionId}:${call}`)}`;
      const { decision } = await scene.operator.get<{ decision: { action: Json; attempt: number } }>(path);
      expect(decision.action).toMatchObject({
        agentId: family.agentId,
        parentActionId: actionId,
        idempotencyKey: `${actionId}:${call}`,
      });
    }
  });

  test('tells the model the error of a tool', async () => {
    const tools = [toolOf('fail')];
    const own = await scene.family({ tools: ['fail'] });
    scene.models.script(scripted([{ toolCalls: [{ name: 'fail', args: {} }] }, { text: 'closed' }]));
    const { result, log } = await run(own, { step: { tools } });
    expect(result).toEqual({ status: 'completed', output: 'closed' });
    expect(newestMessages().at(-1)).toMatchObject({ content: 'The bank is closed.' });
    expect(log).toContainEqual(
      expect.objectContaining({
        answer: { type: 'tool', text: 'The bank is closed.', isError: true },
        outcome: { status: 'failure' },
      }),
    );
  });
});
