/** The SDKs of the providers against the gateway. Where a call is allowed, they behave as they do without it. */
import { waitUntil } from '@mandate/testing';
import { startModelServer } from '@mandate/testing/model-server';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ANTHROPIC_MODEL, type At, CLIENTS, CLIENTS_OF_RUN, OPENAI_MODEL } from './clients.fixture.ts';
import { openScene, type Scene, type SceneAgent, UPSTREAM_KEY } from './scene.fixture.ts';

/** Prices of tokens that make each sum easy: 3 and 15 micro-dollars a token. */
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

describe.each(CLIENTS)('$name', (client) => {
  test('gets the same answers and events as without the gateway', async () => {
    const script = [
      {},
      { text: ['one', ' two', ' «three» 🙂'] },
      { toolCalls: [{ name: 'read', args: { path: '/a' } }], usage: { inputTokens: 50, outputTokens: 9 } },
      { text: 'short', stopReason: 'length' as const },
    ];
    await using direct = await startModelServer(script);
    scene.models.script(script);
    const agent = await scene.agentUnder(PRICED);
    const plain = { openaiUrl: direct.openaiUrl, anthropicUrl: direct.url, apiKey: 'sk-plain' };
    for (const turn of ['create', 'stream', 'stream', 'create'] as const) {
      const [one, other] = [await client[turn](plain), await client[turn](at(agent))];
      expect(withoutNumbers(other)).toEqual(withoutNumbers(one));
    }
  });
});

describe.each(CLIENTS_OF_RUN)('$name', (client) => {
  test('costs what the upstream reports, whole or streamed', async () => {
    const usage = { inputTokens: 1_003, cachedInputTokens: 401, outputTokens: 207 };
    scene.models.script([{ usage }]);
    const agent = await scene.agentUnder(PRICED);
    await client.create(at(agent));
    await client.stream(at(agent));
    // 602 × 3 + 401 × 0.3 + 207 × 15 = 5,031.3, rounded up.
    expect(await agent.spent()).toBe(2 * 5_032);
    expect(await agent.settlements(2)).toMatchObject([
      { ...usage, mayRelease: true },
      { ...usage, mayRelease: true },
    ]);
  });

  test('shows a final refusal at once, and does not retry it', async () => {
    scene.models.script({});
    const before = scene.models.requests.length;
    const agent = await scene.agentUnder({ maxCostTotal: 10, allowedModels: ['other-model'] });
    const refused = { status: 403, message: expect.stringContaining('MODEL_NOT_ALLOWED') };
    await expect(client.create(at(agent), { maxRetries: 5 })).rejects.toMatchObject(refused);
    await expect(client.stream(at(agent), { maxRetries: 5 })).rejects.toMatchObject(refused);
    expect(scene.models.requests.length).toBe(before);
    const decided = await waitUntil('the decisions', async () => {
      const path = `/v1/audit/decisions?agent=${agent.agentId}`;
      const { decisions } = await scene.call<{ decisions: unknown[] }>('GET', path);
      return decisions.length > 1 && decisions;
    });
    expect(decided.length).toBe(2);
  });

  test('waits until a window frees, and then gets its answer', async () => {
    scene.models.script({});
    const agent = await scene.agentUnder({ ...PRICED, rateLimit: { maxCalls: 1, windowMs: 1_500 } });
    await client.create(at(agent));
    const refused = await client.create(at(agent)).catch((error: unknown) => error);
    expect(refused).toMatchObject({ status: 429 });
    await client.create(at(agent), { maxRetries: 2 });
  });

  test('gets an error of the upstream as the upstream wrote it', async () => {
    scene.models.script({ failures: { status: 422 } });
    const agent = await scene.agentUnder(PRICED);
    await expect(client.create(at(agent))).rejects.toMatchObject({
      status: 422,
      message: expect.stringContaining('The script fails this request.'),
    });
    expect(await agent.spent()).toBe(0);
  });

  test('never sends its own key to the upstream', async () => {
    scene.models.script({});
    const agent = await scene.agentUnder(PRICED);
    await client.create(at(agent), { headers: { 'x-mandate-run': 'run-7', 'x-custom': 'kept' } });
    const received = scene.models.requests.at(-1);
    expect(JSON.stringify(received?.headers)).not.toContain(agent.apiKey);
    expect(JSON.stringify(received?.headers)).toContain(UPSTREAM_KEY);
    expect(received?.headers).toMatchObject({ 'x-custom': 'kept' });
    expect(received?.headers['x-mandate-run']).toBeUndefined();
  });
});

/** The model server numbers its answers. */
function withoutNumbers(answer: unknown): unknown {
  return JSON.parse(JSON.stringify(answer).replace(/(chatcmpl|msg|req|call|toolu)_?-?\d+(_\d+)?/g, '$1'));
}
