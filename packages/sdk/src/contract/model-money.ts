/**
 * Tests the cost of model calls, to the micro-dollar. The expected amounts are computed by hand from the prices of
 * model-scene.ts. A token costs 3 micro-dollars as input, 0.3 from a cache, 3.75 into a cache, and 15 as output. A call
 * costs the exact sum of its tokens, rounded up to whole micro-dollars.
 */
import type { ModelReply } from '@mandate/testing/model-server';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Client, openClients, RESERVED } from './model-scene.ts';
import { type AgentUnder, codeOf, WAITING } from './scene.ts';

/** Only Anthropic reports tokens that were written to a cache, and only OpenAI reports tokens of reasoning. */
const usage = {
  inputTokens: 1_003,
  cachedInputTokens: 401,
  cacheWriteTokens: 101,
  outputTokens: 207,
  reasoningTokens: 50,
};

/**
 * OpenAI: 602 × 3 + 401 × 0.3 + 207 × 15 = 1,806 + 120.3 + 3,105 = 5,031.3.
 * Anthropic: 501 × 3 + 401 × 0.3 + 101 × 3.75 + 207 × 15 = 1,503 + 120.3 + 378.75 + 3,105 = 5,107.05.
 */
const WHOLE = { openai: 5_032, anthropic: 5_108 };

/** The number of events until `abcdefghij` is delivered. OpenAI has one event before the text, Anthropic has three. */
const EVENTS = { openai: 3, anthropic: 5 };
const text = ['abcdef', 'ghij', 'klm', 'nop'];

/**
 * The 10 delivered bytes count as 4 tokens, because 3 bytes count as a token: 4 × 15 = 60. OpenAI states its usage only
 * at the end, so the 1,000 input tokens of the call count: 3,000 + 60. Anthropic states its input at the start of the
 * stream: 1,503 + 120.3 + 378.75 + 60 = 2,062.05.
 */
const CUT = { openai: 3_060, anthropic: 2_063 };

/** The number of events until `read`, `{"path":"/a"}` and `search` are delivered. */
const TOOL_EVENTS = { openai: 5, anthropic: 7 };
const toolCalls = [
  { name: 'read', args: { path: '/a' } },
  { name: 'search', args: { q: 'x' } },
];
/** 4 + 13 + 6 = 23 bytes count as 8 tokens: 8 × 15 = 120. OpenAI: 3,000 + 120. Anthropic: 2,002.05 + 120 = 2,122.05. */
const CUT_TOOLS = { openai: 3_120, anthropic: 2_123 };

type ByProvider = { openai: number; anthropic: number };

export function modelMoney(agentUnder: AgentUnder): void {
  let clients: Client[] = [];
  beforeAll(async () => {
    clients = await openClients(agentUnder);
  });
  afterAll(() => Promise.all(clients.map(({ server }) => server.close())));

  /** The cost and the number of all calls of a client so far. */
  const expected = { micros: { openai: 0, anthropic: 0 }, calls: 0 };

  const remaining = () => Promise.all(clients.map(({ mandate }) => mandate.getRemainingBudget()));

  /** Makes one call with each package, and expects its cost. */
  const charges = async (
    reply: ModelReply | ((events: (of: ByProvider) => number) => ModelReply),
    run: (client: Client) => Promise<unknown>,
    micros: ByProvider,
  ) => {
    for (const { name, server } of clients) {
      const scripted = typeof reply === 'function' ? reply((of) => of[providerOf(name)]) : reply;
      // Each server needs a reply of its own, because a server remembers how often a reply has failed.
      server.script([{ ...scripted }]);
    }
    const before = await remaining();
    await Promise.all(clients.map(run));
    expected.calls += 1;
    expected.micros.openai += micros.openai;
    expected.micros.anthropic += micros.anthropic;
    await expect
      .poll(remaining, WAITING)
      .toEqual(clients.map(({ name }, at) => (before[at] ?? 0) - micros[providerOf(name)]));
  };

  test('an answer costs its usage, with the tokens of caches', async () => {
    await charges({ usage }, ({ create }) => create(), WHOLE);
  });

  test('a stream costs the same as a whole answer', async () => {
    await charges({ usage }, ({ stream }) => stream(), WHOLE);
  });

  test.each(['cut', 'error'] as const)(
    'a stream that ends early (%s) costs the delivered part',
    async (kind) => {
      await charges(
        (events) => ({ text, usage, fault: { kind, afterEvents: events(EVENTS) } }),
        ({ stream }) => expect(stream()).rejects.toThrow(),
        CUT,
      );
    },
  );

  // After these events the server sends nothing, so the delivered part is always the same.
  const hanging = (events: (of: ByProvider) => number): ModelReply => ({
    text,
    usage,
    fault: { kind: 'hang', afterEvents: events(EVENTS) },
  });

  test('a stream costs the delivered part if its reader stops reading', async () => {
    await charges(hanging, ({ stream }) => stream((read) => read === 'abcdefghij'), CUT);
  });

  test('a stream costs the delivered part if its caller aborts', async () => {
    const run = ({ stream }: Client) => {
      const caller = new AbortController();
      return stream((read) => read === 'abcdefghij' && caller.abort(), caller.signal).catch(() => {});
    };
    await charges(hanging, run, CUT);
  });

  test('a stream costs the delivered part if its agent is killed', async () => {
    const run = async ({ stream, mandate, agentId }: Client) => {
      const reading = stream((read) => read === 'abcdefghij' && void mandate.kill(agentId, 'runaway'));
      expect(await codeOf(reading)).toBe('AGENT_KILLED');
      await mandate.revive(agentId);
    };
    await charges(hanging, run, CUT);
  });

  test('a call with two retries after 429 costs its one answer', async () => {
    const failures = { status: 429, times: 2, retryAfterMs: 1 };
    const run = async ({ create, server }: Client) => {
      const earlier = server.requests.length;
      await create();
      expect(server.requests.slice(earlier).map(({ status }) => status)).toEqual([429, 429, 200]);
    };
    await charges({ usage, failures }, run, WHOLE);
  });

  test('an answer after a lost attempt costs the input of both attempts', async () => {
    const run = ({ create, server }: Client) => {
      server.script([{ fault: { kind: 'hang', afterEvents: 0 } }, { usage }]);
      return create(500);
    };
    // The lost attempt has sent 1,000 input tokens: 3,000 micro-dollars more.
    await charges({}, run, { openai: 8_032, anthropic: 8_108 });
  });

  test('a call that ends with 429 costs nothing', async () => {
    const failures = { status: 429, retryAfterMs: 1 };
    const run = ({ create }: Client) => expect(create()).rejects.toMatchObject({ status: 429 });
    await charges({ failures }, run, { openai: 0, anthropic: 0 });
  });

  test.each(['create', 'stream'] as const)(
    'an answer without usage (%s) costs its reservation',
    async (how) => {
      await charges({ usage: 'missing' }, (client) => client[how](), {
        openai: RESERVED,
        anthropic: RESERVED,
      });
    },
  );

  test.each(['create', 'stream'] as const)(
    'an answer with parallel calls of tools (%s) costs its usage',
    async (how) => {
      await charges({ usage, toolCalls }, (client) => client[how](), WHOLE);
    },
  );

  test('a stream that is cut within parallel calls of tools costs the delivered part', async () => {
    await charges(
      (events) => ({ usage, toolCalls, fault: { kind: 'cut', afterEvents: events(TOOL_EVENTS) } }),
      ({ stream }) => expect(stream()).rejects.toThrow(),
      CUT_TOOLS,
    );
  });

  test('all these costs are costs of model calls, and no call counted twice', async () => {
    const costs = clients.map(async ({ mandate }) => [await mandate.getCost(), await mandate.getCallCount()]);
    expect(await Promise.all(costs)).toEqual(
      clients.map(({ name }) => {
        const micros = expected.micros[providerOf(name)];
        return [{ totalMicros: micros, llmMicros: micros, toolMicros: 0 }, expected.calls];
      }),
    );
  });
}

function providerOf(name: Client['name']): keyof ByProvider {
  return name === 'anthropic' ? 'anthropic' : 'openai';
}
