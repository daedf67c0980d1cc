/** A model gateway in a process of its own, beside the plane that decides its calls. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startService, temporaryFolder } from '@mandate/testing';
import { expect, test } from 'vitest';
import { documentOf, openScene, UPSTREAM_KEY } from './scene.fixture.ts';

const usage = { inputTokens: 100, outputTokens: 20 };
const model = 'gpt-4o-mini';
const PRICED = { maxCostTotal: 10, modelPrices: { [model]: { inputPerMillion: 3, outputPerMillion: 15 } } };

test('a gateway alone asks its plane, and reports with its own key or with that of the caller', async () => {
  await using scene = await openScene({ usage });
  const reporter = await scene.call<{ key: string }>('POST', '/v1/keys', {
    name: 'models',
    role: 'reporter',
  });
  const file = join(temporaryFolder(), 'upstream.key');
  writeFileSync(file, `${UPSTREAM_KEY}\n`);
  const { openai } = documentOf(scene.models).upstreams;
  await scene.serve({
    version: 1,
    upstreams: { openai: { ...openai, apiKey: { file } } },
    defaults: { openai: 'openai' },
  });
  const settings = { DATA_PATH: scene.data, CONFIG_PATH: scene.modelsFile, PLANE_URL: scene.url };
  for (const [mayRelease, own] of [
    [true, { REPORTER_KEY: reporter.key }],
    [false, {}],
  ] as const) {
    const gateway = await startService('model-gateway', { ...settings, ...own });
    const agent = await scene.agentUnder(PRICED);
    const answer = await fetch(`${gateway.url}/openai/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${agent.apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model, messages: [{ role: 'user', content: 'Hi.' }], max_tokens: 50 }),
    });
    expect(answer.status).toBe(200);
    expect(await answer.json()).toMatchObject({ object: 'chat.completion' });
    expect(await agent.spent()).toBe(600);
    expect(await agent.settlements(1)).toMatchObject([{ mayRelease }]);
    expect(scene.models.requests.at(-1)?.headers.authorization).toBe(`Bearer ${UPSTREAM_KEY}`);
    expect(await gateway.kill()).toBe(0);
    expect(gateway.errors()).not.toContain(UPSTREAM_KEY);
  }
});
