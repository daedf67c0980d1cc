/** The calls of tools that answers ask for: they pass unchanged, and are counted in settlements and metrics. */
import { waitUntil } from '@mandate/testing';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type At, CLIENTS } from './clients.fixture.ts';
import { openScene, type Scene, type SceneAgent } from './scene.fixture.ts';

let scene: Scene;
beforeAll(async () => {
  scene = await openScene();
});
afterAll(() => scene[Symbol.asyncDispose]());

const at = ({ apiKey }: SceneAgent): At => ({ ...scene, apiKey });
const call = (name: string) => ({ name, args: { path: '/a' } });
const toolCalls = [call('read'), call('read'), call('two words')];
const COUNTED = [
  { tool: 'read', calls: 2 },
  { tool: '', calls: 1 },
];

describe.each(CLIENTS)('$name', ({ protocol, create, stream }) => {
  test('is answered with calls of tools, which are counted by tool', async () => {
    scene.models.script({ toolCalls });
    const agent = await scene.agentUnder({});
    await create(at(agent));
    await stream(at(agent));
    for (const settlement of await agent.settlements(2))
      expect(settlement).toMatchObject({ toolCalls: COUNTED });
    scene.models.script({});
    await create(at(agent));
    expect(await agent.settlements(3)).toMatchObject([{ toolCalls: [] }, {}, {}]);
    expect(await agent.toolCalls()).toBe(0);
  });

  test('leaves a stream, and the calls that it got are counted', async () => {
    // The first event that contains the second call.
    const afterEvents = { openai: 5, anthropic: 7 }[protocol];
    scene.models.script({ toolCalls, fault: { kind: 'cut', afterEvents } });
    const agent = await scene.agentUnder({});
    await expect(stream(at(agent))).rejects.toThrow();
    expect(await agent.settlements(1)).toMatchObject([{ toolCalls: [{ tool: 'read', calls: 2 }] }]);
  });
});

test('responses are counted too, once in the metrics', async () => {
  scene.models.script({ toolCalls: [call('metered')] });
  const agent = await scene.agentUnder({});
  const openai = new OpenAI({ apiKey: agent.apiKey, baseURL: scene.openaiUrl, maxRetries: 0 });
  await openai.responses.create({ model: 'gpt-4o-mini', input: 'Hi.' });
  for await (const _ of await openai.responses.create({ model: 'gpt-4o-mini', input: 'Hi.', stream: true }));
  const counted = [
    { toolCalls: [{ tool: 'metered', calls: 1 }] },
    { toolCalls: [{ tool: 'metered', calls: 1 }] },
  ];
  expect(await agent.settlements(2)).toMatchObject(counted);
  const line = await waitUntil('the metric', async () => {
    const headers = { authorization: `Bearer ${scene.plane().keys.operator}` };
    const metrics = await (await fetch(`${scene.url}/metrics`, { headers })).text();
    return metrics.split('\n').find((one) => /^mandate_models_tool_calls_total.*metered/.test(one));
  });
  expect(line).toMatch(/upstream="openai",model="gpt-4o-mini",tool="metered".* 2$/);
});
