/** Limits on tokens in front of the SDKs: under load, if a stream is cut, and if a window frees. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type At, CLIENTS, type Client } from './clients.fixture.ts';
import { cutByUpstream, endedByKill, leftByClient, USAGE } from './cut-streams.fixture.ts';
import { openScene, type Scene, type SceneAgent } from './scene.fixture.ts';

const UNLIMITED = { maxTokensTotal: 1_000_000 };

/** The present major of each SDK. */
const [OPENAI, , ANTHROPIC] = CLIENTS as [Client, Client, Client];

let scene: Scene;
beforeAll(async () => {
  scene = await openScene();
});
afterAll(() => scene[Symbol.asyncDispose]());

const at = ({ apiKey }: SceneAgent): At => ({ ...scene, apiKey });
/** Returns what one call reserves. An answer without usage leaves its reservation charged. */
async function reservedBy(client: Client, turn: 'create' | 'stream'): Promise<number> {
  scene.models.script({ usage: 'missing' });
  const agent = await scene.agentUnder(UNLIMITED);
  await client[turn](at(agent));
  return agent.tokens();
}

/**
 * The 10 delivered bytes count as 4 tokens. OpenAI states its usage only at the end, so the 117 bytes of the request
 * count as 39 tokens of input. Anthropic states its input at the start.
 */
const CUT = { openai: 39 + 4, anthropic: 1_003 + 4 };

describe.each(CLIENTS)('under a limit on tokens, $name', (client) => {
  const { protocol, create, stream } = client;

  test('is charged the tokens that the upstream states, whole and streamed', async () => {
    scene.models.script({ usage: USAGE });
    const agent = await scene.agentUnder(UNLIMITED);
    await create(at(agent));
    expect(await agent.tokens()).toBe(1_003 + 207);
    await stream(at(agent));
    expect(await agent.tokens()).toBe(2 * (1_003 + 207));
  });

  test('is charged the delivered part of a stream that it leaves', async () => {
    const agent = await scene.agentUnder(UNLIMITED);
    await leftByClient(scene, client, agent);
    expect(await agent.tokens()).toBe(CUT[protocol]);
  });

  test('is charged the delivered part of a stream that its upstream cuts', async () => {
    const agent = await scene.agentUnder(UNLIMITED);
    await cutByUpstream(scene, client, agent);
    expect(await agent.tokens()).toBe(CUT[protocol]);
  });

  test('is charged the delivered part of a stream that a kill stops', async () => {
    const agent = await scene.agentUnder(UNLIMITED);
    await endedByKill(scene, client, agent);
    expect(await agent.tokens()).toBe(CUT[protocol]);
  });
});

test.each([OPENAI, ANTHROPIC])(
  '$name is refused when a window is used up, and waits until the window frees',
  async (client) => {
    const { protocol, create } = client;
    const reserved = await reservedBy(client, 'create');
    scene.models.script({ usage: { inputTokens: reserved - 100, outputTokens: 100 } });
    const short = { id: 'short', scope: 'agent', maxTokens: reserved, windowMs: 2_000 };
    const agent = await scene.agentUnder({ tokensPerWindow: [short] });
    await create(at(agent));
    const refused = await create(at(agent)).then(
      () => null,
      (error: { status: number; message: string; error: object; headers: Headers }) => error,
    );
    const error = {
      type: 'rate_limit_error',
      message: expect.stringMatching(/TOKEN_LIMIT_EXCEEDED.*"short".*tokens/),
      mandate: { code: 'TOKEN_LIMIT_EXCEEDED', retryAfterMs: expect.any(Number) },
    };
    expect(refused).toMatchObject({
      status: 429,
      error: { openai: { ...error, code: 'TOKEN_LIMIT_EXCEEDED' }, anthropic: { type: 'error', error } }[
        protocol
      ],
    });
    const waitS = Number(refused?.headers.get('retry-after'));
    expect([1, 2]).toContain(waitS);
    expect(refused?.headers.get('x-should-retry')).toBeNull();
    await create(at(agent), { maxRetries: 2 });
  },
);

test.each([
  { ...OPENAI, turn: 'create' as const },
  { ...OPENAI, turn: 'stream' as const },
  { ...ANTHROPIC, turn: 'create' as const },
  { ...ANTHROPIC, turn: 'stream' as const },
])(
  '500 calls of $name ($turn) under the tokens of 50 calls: exactly 50 are made',
  async ({ turn, ...client }) => {
    const reserved = await reservedBy(client, turn);
    scene.models.script({ usage: { inputTokens: reserved - 100, outputTokens: 100 } });
    const agent = await scene.agentUnder({ maxTokensTotal: 51 * reserved - 1 });
    const before = scene.models.requests.length;
    const calls = Array.from({ length: 500 }, () =>
      client[turn](at(agent)).then(
        () => 'allowed',
        (error: { status?: number; message: string }) =>
          `${error.status} ${/[A-Z_]{5,}/.exec(error.message)?.[0]}`,
      ),
    );
    const ends = Map.groupBy(await Promise.all(calls), (end) => end);
    expect(Object.fromEntries([...ends].map(([end, all]) => [end, all.length]))).toEqual({
      allowed: 50,
      '403 TOKEN_LIMIT_EXCEEDED': 450,
    });
    expect(scene.models.requests.length - before).toBe(50);
    expect(await agent.tokens()).toBe(50 * reserved);
  },
);
