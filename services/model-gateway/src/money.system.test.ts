/** What calls cost, to the micro-dollar: under load, and if a stream is cut by its client, its upstream or a kill. */

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ANTHROPIC_MODEL, type At, CLIENTS_OF_RUN, OPENAI_MODEL } from './clients.fixture.ts';
import { cutByUpstream, endedByKill, leftByClient } from './cut-streams.fixture.ts';
import { openScene, type Scene, type SceneAgent } from './scene.fixture.ts';

const PRICE = {
  inputPerMillion: 3,
  outputPerMillion: 15,
  cachedInputPerMillion: 0.3,
  cacheWritePerMillion: 3.75,
};
const PRICED = { maxCostTotal: 10, modelPrices: { [OPENAI_MODEL]: PRICE, [ANTHROPIC_MODEL]: PRICE } };

let scene: Scene;
beforeAll(async () => {
  scene = await openScene();
});
afterAll(() => scene[Symbol.asyncDispose]());

const at = ({ apiKey }: SceneAgent): At => ({ ...scene, apiKey });
/**
 * The 10 delivered bytes count as 4 tokens: 4 × 15 = 60. OpenAI states its usage only at the end, so the input is
 * estimated: the 117 bytes of the request count as 39 tokens, 39 × 3 = 117. Anthropic states its input at the start:
 * 602 × 3 + 401 × 0.3 = 1,926.3.
 */
const CUT = { openai: 177, anthropic: 1_987 };

describe.each(CLIENTS_OF_RUN)('a stream of $name', (client) => {
  const { protocol } = client;

  test('costs the delivered part if its client leaves, and is cancelled at the upstream', async () => {
    const agent = await scene.agentUnder(PRICED);
    await leftByClient(scene, client, agent);
    expect(await agent.spent()).toBe(CUT[protocol]);
  });

  test('costs the delivered part if its upstream cuts it', async () => {
    const agent = await scene.agentUnder(PRICED);
    await cutByUpstream(scene, client, agent);
    expect(await agent.spent()).toBe(CUT[protocol]);
  });

  test('ends with an error if a kill stops it, costs the delivered part, and is cancelled at the upstream', async () => {
    const agent = await scene.agentUnder(PRICED);
    await endedByKill(scene, client, agent);
    expect(await agent.spent()).toBe(CUT[protocol]);
  });
});

test.each(CLIENTS_OF_RUN)(
  'a thousand calls of $name under a budget for a hundred: exactly a hundred are made',
  async ({ protocol, create }) => {
    const model = { openai: OPENAI_MODEL, anthropic: ANTHROPIC_MODEL }[protocol];
    scene.models.script({ usage: { inputTokens: 10, outputTokens: 100 } });
    // A call reserves 100 tokens of output, and costs them. Its input is free.
    const agent = await scene.agentUnder({
      maxCostTotal: 0.15,
      modelPrices: { [model]: { inputPerMillion: 0, outputPerMillion: 15 } },
    });
    const before = scene.models.requests.length;
    const calls = Array.from({ length: 1_000 }, () =>
      create(at(agent)).then(
        () => 'allowed',
        (error: { status?: number; message: string }) =>
          `${error.status} ${/[A-Z_]{5,}/.exec(error.message)?.[0]}`,
      ),
    );
    const ends = Map.groupBy(await Promise.all(calls), (end) => end);
    expect(Object.fromEntries([...ends].map(([end, all]) => [end, all.length]))).toEqual({
      allowed: 100,
      '403 COST_LIMIT_EXCEEDED': 900,
    });
    expect(scene.models.requests.length - before).toBe(100);
    expect(await agent.spent()).toBe(150_000);
  },
);
