/** Tests the model server through OpenAI's own SDK. */
import OpenAI from 'openai';
import { describe, expect, onTestFinished, test } from 'vitest';
import { collect } from '../collect.ts';
import { waitUntil } from '../wait-until.ts';
import { type ModelScript, startModelServer } from './index.ts';

async function start(script: ModelScript) {
  const server = await startModelServer(script);
  onTestFinished(() => server.close());
  const openai = new OpenAI({ apiKey: 'sk-test', baseURL: server.openaiUrl });
  return { server, openai };
}

const messages = [{ role: 'user' as const, content: 'Hi' }];
const model = 'gpt-6-astra';
const usage = { inputTokens: 100, cachedInputTokens: 40, outputTokens: 20, reasoningTokens: 5 };

describe('chat completions', () => {
  test('answer with text and usage', async () => {
    const { server, openai } = await start({ text: 'Good day.', usage });
    const reply = await openai.chat.completions.create({ model, messages, n: 2 });
    expect(reply.choices.map(({ message }) => message.content)).toEqual(['Good day.', 'Good day.']);
    expect(reply.usage).toMatchObject({
      prompt_tokens: 100,
      completion_tokens: 20,
      prompt_tokens_details: { cached_tokens: 40 },
      completion_tokens_details: { reasoning_tokens: 5 },
    });
    expect(reply._request_id).toBe('req_1');
    expect(server.requests).toMatchObject([{ path: '/v1/chat/completions', status: 200, state: 'answered' }]);
    expect(server.requests[0]?.headers.authorization).toBe('Bearer sk-test');
  });

  test.each([
    [true, [100]],
    [false, []],
  ])('stream, with usage only if the request asks for it: %s', async (include_usage, expected) => {
    const { openai } = await start({ text: ['a', 'b€', 'c'], usage, pieceBytes: 7 });
    const stream = await openai.chat.completions.create({
      model,
      messages,
      stream: true,
      stream_options: { include_usage },
    });
    const chunks = await collect(stream);
    expect(chunks.map((chunk) => chunk.choices[0]?.delta.content ?? '').join('')).toBe('ab€c');
    expect(chunks.flatMap((chunk) => chunk.usage?.prompt_tokens ?? [])).toEqual(expected);
  });

  test('call several tools at once, streamed or not', async () => {
    const { openai } = await start({
      toolCalls: [
        { name: 'read', args: { path: '/a' } },
        { name: 'search', args: { q: 'x' } },
      ],
    });
    const expected = [
      { name: 'read', arguments: '{"path":"/a"}' },
      { name: 'search', arguments: '{"q":"x"}' },
    ];
    const whole = await openai.chat.completions.create({ model, messages });
    const streamed = await openai.chat.completions.stream({ model, messages }).finalChatCompletion();
    for (const { choices } of [whole, streamed]) {
      expect(choices[0]?.finish_reason).toBe('tool_calls');
      expect(choices[0]?.message.tool_calls).toMatchObject(expected.map((call) => ({ function: call })));
    }
  });

  test('state no usage if it is missing', async () => {
    const { openai } = await start({ usage: 'missing' });
    expect((await openai.chat.completions.create({ model, messages })).usage).toBeUndefined();
  });
});

describe('responses', () => {
  test('answer with text, tool calls and usage', async () => {
    const { openai } = await start({ text: 'Good day.', toolCalls: [{ name: 'read', args: {} }], usage });
    const whole = await openai.responses.create({ model, input: 'Hi' });
    const streamed = await openai.responses.stream({ model, input: 'Hi' }).finalResponse();
    for (const reply of [whole, streamed]) {
      expect(reply.output_text).toBe('Good day.');
      expect(reply.output[1]).toMatchObject({ type: 'function_call', name: 'read', arguments: '{}' });
      expect(reply.usage).toMatchObject({ input_tokens: 100, output_tokens: 20 });
    }
  });

  test('say in a stream that the reply was cut by its limit', async () => {
    const { openai } = await start({ stopReason: 'length' });
    const stream = await openai.responses.create({ model, input: 'Hi', stream: true });
    const events = await collect(stream);
    expect(events.at(-1)).toMatchObject({
      type: 'response.incomplete',
      response: { status: 'incomplete', usage: { output_tokens: 4 } },
    });
    expect(events.map(({ sequence_number }) => sequence_number)).toEqual(events.map((_, at) => at));
  });
});

test('embeddings are decoded by the SDK', async () => {
  const { openai } = await start({ usage });
  const reply = await openai.embeddings.create({ model: 'text-embedding-3-small', input: ['a', 'b'] });
  expect(reply.data.map(({ embedding }) => embedding)).toEqual([
    [0.25, -0.5, 1],
    [0.25, -0.5, 1],
  ]);
  expect(reply.usage).toEqual({ prompt_tokens: 100, total_tokens: 100 });
});

test('completions, models and unknown paths are answered', async () => {
  const { openai } = await start({ text: 'Good day.' });
  const reply = await openai.completions.create({ model, prompt: 'Hi' });
  expect(reply.choices[0]?.text).toBe('Good day.');
  expect((await openai.models.list()).data).toHaveLength(1);
  await expect(openai.files.list()).rejects.toThrow(OpenAI.NotFoundError);
});

describe('what goes wrong', () => {
  test('errors come the scripted number of times, and the SDK retries', async () => {
    const { server, openai } = await start([
      { text: 'first', failures: { status: 429, times: 2, retryAfterMs: 1 } },
      { text: 'second' },
    ]);
    const texts = [];
    for (let turn = 0; turn < 3; turn += 1) {
      const { choices } = await openai.chat.completions.create({ model, messages });
      texts.push(choices[0]?.message.content);
    }
    expect(texts).toEqual(['first', 'second', 'second']);
    expect(server.requests.map(({ status }) => status)).toEqual([429, 429, 200, 200, 200]);
    expect(server.requests.map(({ headers }) => headers['x-stainless-retry-count'])).toEqual([
      '0',
      '1',
      '2',
      '0',
      '0',
    ]);
  });

  test('an error without end reaches the caller', async () => {
    const { openai } = await start({ failures: { status: 500, retryAfterMs: 1 } });
    await expect(openai.responses.create({ model, input: 'Hi' })).rejects.toThrow(OpenAI.InternalServerError);
  });

  test('a stream is cut after the scripted event', async () => {
    const { server, openai } = await start({ fault: { kind: 'cut', afterEvents: 3 } });
    const stream = await openai.chat.completions.create({ model, messages, stream: true });
    const chunks: unknown[] = [];
    await expect(
      (async () => {
        for await (const chunk of stream) chunks.push(chunk);
      })(),
    ).rejects.toThrow();
    expect(chunks).toHaveLength(3);
    expect(server.requests[0]).toMatchObject({ eventsSent: 3, state: 'cut' });
  });

  test('a stream reports an error', async () => {
    const { openai } = await start({ fault: { kind: 'error', afterEvents: 2 } });
    const stream = await openai.chat.completions.create({ model, messages, stream: true });
    await expect(collect(stream)).rejects.toThrow('The model broke.');
  });

  test('the server sees that the client left a stream or an answer that hangs', async () => {
    const { server, openai } = await start([
      { text: Array(50).fill('x'), eventDelayMs: 20 },
      { fault: { kind: 'hang', afterEvents: 0 } },
    ]);
    const stream = await openai.chat.completions.create({ model, messages, stream: true });
    for await (const _ of stream) break;
    await waitUntil('the abort of the stream', () => server.requests[0]?.state === 'aborted');
    expect(server.requests[0]?.eventsSent).toBeLessThan(5);
    const hanging = openai.chat.completions.create({ model, messages }, { timeout: 30, maxRetries: 0 });
    await expect(hanging).rejects.toThrow(OpenAI.APIConnectionTimeoutError);
    await waitUntil('the abort of the request', () => server.requests[1]?.state === 'aborted');
  });

  test('a function chooses the reply from the request', async () => {
    const { openai } = await start(({ body }) => ({ text: `You asked ${body.model}.` }));
    expect((await openai.responses.create({ model, input: 'Hi' })).output_text).toBe(`You asked ${model}.`);
  });
});
