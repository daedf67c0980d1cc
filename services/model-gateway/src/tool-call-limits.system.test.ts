/** Limits on the calls of tools that answers ask for, in front of the SDKs. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type At, CLIENTS, type Client } from './clients.fixture.ts';
import { openScene, type Scene, type SceneAgent } from './scene.fixture.ts';

/** The present major of each SDK. */
const [OPENAI, , ANTHROPIC] = CLIENTS as [Client, Client, Client];

let scene: Scene;
beforeAll(async () => {
  scene = await openScene();
});
afterAll(() => scene[Symbol.asyncDispose]());

const at = ({ apiKey }: SceneAgent): At => ({ ...scene, apiKey });
const call = (name: string) => ({ name, args: { path: '/a' } });
const asksForTwo = { toolCalls: [call('read'), call('write')] };

/** Returns how the SDK of the provider reports a refusal. */
const refusedBy = (running: Promise<unknown>) =>
  running.then(
    () => null,
    (error: { status: number; message: string; error: object; headers: Headers }) => error,
  );
const refusal = (protocol: Client['protocol'], limit: RegExp, facts: object = {}) => {
  const error = {
    message: expect.stringMatching(limit),
    mandate: { code: 'TOOL_CALL_LIMIT_EXCEEDED', ...facts },
  };
  return {
    openai: { ...error, code: 'TOOL_CALL_LIMIT_EXCEEDED' },
    anthropic: { type: 'error', error },
  }[protocol];
};

describe.each(CLIENTS)('under a limit on tool calls, $name', ({ protocol, create, stream }) => {
  test.each([
    ['create', create],
    ['stream', stream],
  ])(
    'three answers with two tool calls cross a limit of five, and the fourth %s is refused',
    async (_how, ask) => {
      scene.models.script(asksForTwo);
      const agent = await scene.agentUnder({ maxToolCallsTotal: 5 });
      for (const used of [2, 4, 6]) {
        await ask(at(agent));
        expect(await agent.toolCalls()).toBe(used);
      }
      const before = scene.models.requests.length;
      const refused = await refusedBy(ask(at(agent)));
      expect(refused).toMatchObject({
        status: 403,
        error: refusal(protocol, /TOOL_CALL_LIMIT_EXCEEDED.*5 tool calls.*asked for 6/),
      });
      expect(refused?.headers.get('x-should-retry')).toBe('false');
      expect(scene.models.requests).toHaveLength(before);
    },
  );

  test('of 30 calls at once, at most as many run as the limit has tool calls left', async () => {
    scene.models.script(asksForTwo);
    const agent = await scene.agentUnder({ maxToolCallsTotal: 5 });
    const before = scene.models.requests.length;
    const ends = await Promise.all(Array.from({ length: 30 }, () => refusedBy(create(at(agent)))));
    const passed = ends.filter((end) => end === null).length;
    // Three calls if each is settled before the next, and five if all run at once.
    expect(passed).toBeGreaterThanOrEqual(3);
    expect(passed).toBeLessThanOrEqual(5);
    expect(scene.models.requests.length - before).toBe(passed);
    expect(await agent.toolCalls()).toBe(2 * passed);
  });

  test('is charged for the tool calls that a cut stream delivered', async () => {
    // The first event that contains the second call.
    const afterEvents = { openai: 5, anthropic: 7 }[protocol];
    const asksForThree = { toolCalls: [...asksForTwo.toolCalls, call('late')] };
    scene.models.script({ ...asksForThree, fault: { kind: 'cut', afterEvents } });
    const agent = await scene.agentUnder({ maxToolCallsTotal: 100 });
    await expect(stream(at(agent))).rejects.toThrow();
    expect(await agent.toolCalls()).toBe(2);
  });

  test('gives back the reserved tool call if the answer asks for none', async () => {
    scene.models.script({});
    const agent = await scene.agentUnder({ maxToolCallsTotal: 1 });
    for (const ask of [create, stream, create]) {
      await ask(at(agent));
      expect(await agent.toolCalls()).toBe(0);
    }
  });
});

test.each([OPENAI, ANTHROPIC])(
  '$name is refused when a window of tool calls is used up, and waits until the window frees',
  async ({ protocol, create }) => {
    scene.models.script(asksForTwo);
    const short = { id: 'short', scope: 'agent', maxToolCalls: 2, windowMs: 2_000 };
    const agent = await scene.agentUnder({ toolCallsPerWindow: [short] });
    await create(at(agent));
    // The outcome is settled after this.
    await agent.toolCalls();
    const refused = await refusedBy(create(at(agent)));
    expect(refused).toMatchObject({
      status: 429,
      error: refusal(protocol, /TOOL_CALL_LIMIT_EXCEEDED.*"short"/, { retryAfterMs: expect.any(Number) }),
    });
    expect([1, 2]).toContain(Number(refused?.headers.get('retry-after')));
    await create(at(agent), { maxRetries: 2 });
  },
);
