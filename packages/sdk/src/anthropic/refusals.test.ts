/** A refused call is not sent, and its caller gets the error of Mandate once. */

import { collect, waitUntil } from '@mandate/testing';
import { describe, expect, test } from 'vitest';
import { findMandateError, MandateBlockedError } from '../index.ts';
import { asked, scene } from './scene.fixture.ts';

const document = { allowedModels: ['claude-haiku-*'] };

test.each([
  ['create', (client: Client) => client.messages.create(asked)],
  ['a stream', (client: Client) => client.messages.create({ ...asked, stream: true })],
  ['the stream helper', (client: Client) => client.messages.stream(asked).finalMessage()],
  ['an iterated stream helper', (client: Client) => collect(client.messages.stream(asked))],
  ['a tool runner', async (client: Client) => client.beta.messages.toolRunner({ ...asked, tools: [] })],
])('%s of a model that is not allowed is not sent', async (_form, run) => {
  const { wrapped, server, decisions } = await scene({ document });
  const error = await run(wrapped).then(
    () => null,
    (thrown: unknown) => thrown,
  );
  expect(findMandateError(error)).toMatchObject({ code: 'MODEL_NOT_ALLOWED' });
  expect([server.requests.length, decisions.length]).toEqual([0, 1]);
});
type Client = Awaited<ReturnType<typeof scene>>['wrapped'];

test('the error of a call is the error of Mandate itself', async () => {
  const { wrapped } = await scene({ document });
  await expect(wrapped.messages.create(asked)).rejects.toBeInstanceOf(MandateBlockedError);
});

describe('a decision point that fails', () => {
  test.each([
    ['an abort', new DOMException('The operation was aborted.', 'AbortError')],
    ['a time-out', new Error('The decision timed out.')],
    ['a time-out as cause', new Error('no decision', { cause: new Error('connect timeout') })],
    ['an error of fetch', new TypeError('fetch failed', { cause: new Error('ECONNREFUSED') })],
  ])('with %s blocks, and is asked once', async (_kind, failure) => {
    let asks = 0;
    const { wrapped, server } = await scene({
      decide: async () => {
        asks += 1;
        throw failure;
      },
    });
    const error = await wrapped.messages.create(asked).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(MandateBlockedError);
    expect(error).toMatchObject({ name: 'MandateBlockedError', code: 'INTERNAL_ERROR' });
    expect([asks, server.requests.length]).toEqual([1, 0]);
  });

  test('never answers: the caller can still abort, and nothing is sent', async () => {
    const { wrapped, server } = await scene({ decide: () => new Promise(() => {}) });
    const caller = new AbortController();
    const asking = wrapped.messages.create(asked, { signal: caller.signal });
    setImmediate(() => caller.abort());
    await expect(asking).rejects.toMatchObject({ message: 'Request was aborted.' });
    expect(server.requests).toHaveLength(0);
  });
});

test('a kill between two attempts ends the call', async () => {
  const { wrapped, mandate, server } = await scene({
    script: { failures: { status: 500, retryAfterMs: 100 } },
  });
  const asking = wrapped.messages.create(asked).catch((thrown: unknown) => thrown);
  await waitUntil('the first failure', () => server.requests[0]?.state === 'answered');
  await mandate.kill('bot', 'runaway');
  expect(await asking).toMatchObject({ code: 'AGENT_KILLED', name: 'MandateBlockedError' });
  expect(server.requests).toHaveLength(1);
});

test('the given function counts the tokens of a request, and an error of the function blocks the call', async () => {
  const counting = await scene({ options: { countTokens: ({ model }) => model.length } });
  await counting.wrapped.messages.create(asked);
  expect(counting.decisions[0]?.action).toMatchObject({ inputTokens: asked.model.length });
  const failing = await scene({
    options: {
      countTokens: () => {
        throw new Error('no tokenizer');
      },
    },
  });
  await expect(failing.wrapped.messages.create(asked)).rejects.toMatchObject({ code: 'INTERNAL_ERROR' });
  expect(failing.server.requests).toHaveLength(0);
});

test('an image costs a fixed number of tokens, however large it is', async () => {
  const { wrapped, decisions } = await scene();
  const source = { type: 'base64' as const, media_type: 'image/png' as const, data: 'A'.repeat(300_000) };
  const content = [{ type: 'image' as const, source }];
  await wrapped.messages.create({ ...asked, messages: [{ role: 'user', content }] });
  const [decision] = decisions;
  const tokens = decision?.action.type === 'llm_call' ? decision.action.inputTokens : 0;
  expect(tokens).toBeGreaterThan(5_000);
  expect(tokens).toBeLessThan(5_200);
});
