/** One decision for each logical call, and the outcome that settles it. */
import Anthropic from '@anthropic-ai/sdk';
import { betaTool } from '@anthropic-ai/sdk/helpers/beta/json-schema';
import { collect, waitUntil } from '@mandate/testing';
import { describe, expect, test } from 'vitest';
import { mandateMiddleware } from './index.ts';
import { asked, scene } from './scene.fixture.ts';

const stated = { inputTokens: 100, cachedInputTokens: 40, cacheWriteTokens: 10, outputTokens: 20 };
const many = Array(50).fill('12 letters..');
const retried = { status: 500, times: 2, retryAfterMs: 1 };

type Client = Anthropic;
const forms: Record<string, (client: Client) => Promise<unknown>> = {
  create: (client) => client.messages.create(asked),
  'create, streamed': async (client) => collect(await client.messages.create({ ...asked, stream: true })),
  'the stream helper': (client) => client.messages.stream(asked).finalMessage(),
  'beta create': (client) => client.beta.messages.create(asked),
  'the beta stream helper': (client) => client.beta.messages.stream(asked).finalMessage(),
  parse: (client) => client.messages.parse(asked),
  withResponse: (client) => client.messages.create(asked).withResponse(),
  asResponse: async (client) => (await client.messages.create(asked).asResponse()).text(),
  'a raw post': (client) => client.post('/v1/messages', { body: asked }),
  'withOptions, with other middleware': (client) =>
    client.withOptions({ middleware: [(request, next) => next(request)] }).messages.create(asked),
};

describe.each(Object.entries(forms))('%s', (_form, run) => {
  test('is one decision, settled at the cost of the usage that the model states', async () => {
    const { wrapped, decisions, outcomes } = await scene({ script: { usage: stated } });
    await run(wrapped);
    expect(outcomes).toEqual([{ status: 'success', usage: stated }]);
    expect(decisions.map(({ action }) => action)).toMatchObject([
      { type: 'llm_call', provider: 'anthropic', model: 'claude-opus-5', maxOutputTokens: 100 },
    ]);
  });

  test('is one decision with two forced retries too', async () => {
    const { wrapped, decisions, outcomes, server } = await scene({
      script: [{ usage: stated, failures: retried }],
    });
    await run(wrapped);
    expect(server.requests).toHaveLength(3);
    expect([decisions.length, outcomes]).toEqual([1, [{ status: 'success', usage: stated }]]);
  });
});

test('each turn of a tool runner is one decision', async () => {
  const { wrapped, decisions, outcomes } = await scene({
    script: [{ toolCalls: [{ name: 'add', args: { a: 1 } }] }, { text: 'Done.' }],
  });
  const add = betaTool({
    name: 'add',
    description: 'adds',
    inputSchema: { type: 'object', properties: { a: { type: 'number' } } },
    run: () => '2',
  });
  const last = await wrapped.beta.messages.toolRunner({ ...asked, tools: [add] });
  expect(last.content).toMatchObject([{ text: 'Done.' }]);
  expect([decisions.length, outcomes.map(({ status }) => status)]).toEqual([2, ['success', 'success']]);
});

test('counting tokens and reading the list of models are not calls of a model', async () => {
  const { wrapped, decisions } = await scene();
  const { max_tokens, ...counted } = asked;
  await wrapped.messages.countTokens(counted);
  expect(decisions).toEqual([]);
});

describe.each([
  ['a batch', '/v1/messages/batches', (client: Client) => client.messages.batches.create({ requests: [] })],
  [
    'a session',
    '/v1/sessions',
    (client: Client) => client.beta.sessions.create({ agent: 'agent_1', environment_id: 'env_1' }),
  ],
  [
    'a call of an unknown path',
    '/v1/complete',
    (client: Client) => client.post('/v1/complete', { body: {} }),
  ],
])('%s', (_kind, path, send) => {
  test('is refused, and nothing is sent', async () => {
    const { wrapped, server } = await scene();
    await expect(send(wrapped)).rejects.toMatchObject({ code: 'UNGOVERNED_CALL' });
    expect(server.requests).toEqual([]);
  });

  test('passes without a decision if its path is listed', async () => {
    const { wrapped, server, decisions } = await scene({
      script: { json: { id: 'x' } },
      options: { ungoverned: [path] },
    });
    await send(wrapped).catch(() => {});
    expect([server.requests.map((request) => request.path.split('?')[0]), decisions]).toEqual([[path], []]);
  });
});

describe('a failed call', () => {
  test.each([
    [400, 1],
    [529, 3],
  ])('with status %s is settled as a failure after %s attempts', async (status, attempts) => {
    const { wrapped, decisions, outcomes, server } = await scene({
      script: { failures: { status, retryAfterMs: 1 } },
    });
    await expect(wrapped.messages.create(asked)).rejects.toBeInstanceOf(Anthropic.APIError);
    expect(server.requests).toHaveLength(attempts);
    expect([decisions.length, outcomes]).toEqual([1, [{ status: 'failure' }]]);
  });

  test('is settled by a middleware that does not know the retries of its client', async () => {
    const { bare, mandate, decisions, outcomes } = await scene({
      script: { failures: { status: 500, times: 4, retryAfterMs: 1 } },
    });
    const client = bare.withOptions({ maxRetries: 5, middleware: [mandateMiddleware(mandate)] });
    await client.messages.create(asked);
    expect(decisions.map(({ attempt, actionId }) => [attempt, actionId])).toEqual([
      [1, decisions[0]?.actionId],
      ...decisions.slice(1).map(({ attempt }) => [attempt, decisions[0]?.actionId]),
    ]);
    expect(outcomes.at(-1)).toMatchObject({ status: 'success' });
    expect(outcomes.filter(({ status }) => status === 'failure')).toHaveLength(outcomes.length - 1);
  });
});

describe('a stream that ends early', () => {
  const script = { text: many, usage: stated, eventDelayMs: 5 };
  const start = { inputTokens: 100, cachedInputTokens: 40, cacheWriteTokens: 10 };

  test('by `break` is charged for the delivered part', async () => {
    const { wrapped, outcomes, server } = await scene({ script });
    let deltas = 0;
    for await (const event of await wrapped.messages.create({ ...asked, stream: true })) {
      if (event.type === 'content_block_delta') deltas += 1;
      if (deltas === 5) break;
    }
    await waitUntil('the abort', () => server.requests[0]?.state === 'aborted');
    await waitUntil('the outcome', () => outcomes.length === 1);
    expect(outcomes).toEqual([{ status: 'success', usage: { ...start, outputTokens: 20 } }]);
    expect(server.requests[0]?.eventsSent).toBeLessThan(12);
  });

  test('by an abort is charged for the delivered part', async () => {
    const { wrapped, outcomes, server } = await scene({ script });
    const caller = new AbortController();
    let deltas = 0;
    for await (const event of await wrapped.messages.create(
      { ...asked, stream: true },
      { signal: caller.signal },
    )) {
      if (event.type === 'content_block_delta') deltas += 1;
      if (deltas === 5) caller.abort(new Error('mine'));
    }
    await waitUntil('the outcome', () => outcomes.length === 1);
    expect(outcomes).toEqual([{ status: 'failure', usage: { ...start, outputTokens: expect.any(Number) } }]);
    const output = outcomes[0]?.usage?.outputTokens ?? 0;
    expect(output).toBeGreaterThanOrEqual(20);
    expect(output).toBeLessThan(60);
    await waitUntil('the abort', () => server.requests[0]?.state === 'aborted');
  });

  test('by a kill throws the refusal, and is charged for the delivered part', async () => {
    const { wrapped, outcomes, server, mandate } = await scene({ script });
    const reading = (async () => {
      for await (const event of await wrapped.messages.create({ ...asked, stream: true })) {
        if (event.type === 'content_block_delta') await mandate.kill('bot', 'runaway');
      }
    })();
    await expect(reading).rejects.toMatchObject({ name: 'MandateBlockedError', code: 'AGENT_KILLED' });
    expect(outcomes).toEqual([{ status: 'failure', usage: { ...start, outputTokens: expect.any(Number) } }]);
    await waitUntil('the abort', () => server.requests[0]?.state === 'aborted');
  });

  test.each(['cut', 'error'] as const)('by a fault (%s) is a failure', async (kind) => {
    const { wrapped, outcomes } = await scene({ script: { ...script, fault: { kind, afterEvents: 6 } } });
    let deltas = 0;
    const reading = (async () => {
      for await (const event of await wrapped.messages.create({ ...asked, stream: true })) {
        if (event.type === 'content_block_delta') deltas += 1;
      }
    })();
    await expect(reading).rejects.toThrow();
    expect(deltas).toBeGreaterThan(0);
    expect(outcomes).toEqual([{ status: 'failure', usage: { ...start, outputTokens: 4 * deltas } }]);
  });
});

test('a whole answer without usage keeps its reservation charged', async () => {
  const { wrapped, outcomes, mandate } = await scene({ script: { usage: 'missing' } });
  await wrapped.messages.create(asked);
  expect(outcomes).toEqual([{ status: 'success' }]);
  // 100 tokens of output at $25 a million, and the estimated input at $5 a million.
  expect((await mandate.getCost()).totalMicros).toBeGreaterThan(2_500);
});

test('a request that is aborted before its answer is charged for its input', async () => {
  const { wrapped, outcomes, server } = await scene({ script: { fault: { kind: 'hang', afterEvents: 0 } } });
  const caller = new AbortController();
  const asking = wrapped.messages.create(asked, { signal: caller.signal });
  await waitUntil('the request', () => server.requests.length === 1);
  caller.abort();
  await expect(asking).rejects.toBeInstanceOf(Anthropic.APIUserAbortError);
  expect(outcomes).toMatchObject([{ status: 'failure', usage: { outputTokens: 0 } }]);
  expect(outcomes[0]?.usage?.inputTokens).toBeGreaterThan(10);
});

test('a request is charged for its input if its connection breaks before the answer', async () => {
  const { wrapped, outcomes } = await scene({ script: { fault: { kind: 'cut', afterEvents: 0 } } });
  await expect(wrapped.messages.create(asked, { maxRetries: 0 })).rejects.toThrow('Connection error.');
  expect(outcomes).toMatchObject([{ status: 'failure', usage: { outputTokens: 0 } }]);
});

test('a request that could not connect costs nothing', async () => {
  const { wrapped, outcomes, server } = await scene();
  await server.close();
  await expect(wrapped.messages.create(asked, { maxRetries: 0 })).rejects.toThrow('Connection error.');
  expect(outcomes).toEqual([{ status: 'failure' }]);
});
