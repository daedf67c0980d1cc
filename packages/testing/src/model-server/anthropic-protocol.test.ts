/** Tests the model server through Anthropic's own SDK. */
import Anthropic from '@anthropic-ai/sdk';
import { expect, onTestFinished, test } from 'vitest';
import { collect } from '../collect.ts';
import { type ModelScript, startModelServer } from './index.ts';

async function start(script: ModelScript) {
  const server = await startModelServer(script);
  onTestFinished(() => server.close());
  return { server, anthropic: new Anthropic({ apiKey: 'sk-test', baseURL: server.url }) };
}

const asked = {
  model: 'claude-opus-5',
  max_tokens: 100,
  messages: [{ role: 'user' as const, content: 'Hi' }],
};
const usage = { inputTokens: 100, cachedInputTokens: 40, cacheWriteTokens: 10, outputTokens: 20 };

test('messages have text, tool calls and usage, streamed or not', async () => {
  const { anthropic, server } = await start({
    text: 'Good day.',
    toolCalls: [
      { name: 'read', args: { path: '/a' } },
      { name: 'search', args: {} },
    ],
    usage,
  });
  const whole = await anthropic.messages.create(asked);
  const streamed = await anthropic.messages.stream(asked).finalMessage();
  for (const message of [whole, streamed]) {
    expect(message.content).toMatchObject([
      { type: 'text', text: 'Good day.' },
      { type: 'tool_use', name: 'read', input: { path: '/a' } },
      { type: 'tool_use', name: 'search', input: {} },
    ]);
    expect(message.stop_reason).toBe('tool_use');
    expect(message.usage).toMatchObject({
      input_tokens: 50,
      cache_read_input_tokens: 40,
      cache_creation_input_tokens: 10,
      output_tokens: 20,
    });
  }
  expect(server.requests[0]).toMatchObject({ path: '/v1/messages', state: 'answered' });
  expect(whole._request_id).toBe('req_1');
});

test('the first event of a stream has a placeholder for the output tokens', async () => {
  const { anthropic } = await start({ text: ['a', 'b'], usage });
  const events = await collect(await anthropic.messages.create({ ...asked, stream: true }));
  expect(events.map(({ type }) => type)).toEqual([
    'message_start',
    'content_block_start',
    'content_block_delta',
    'content_block_delta',
    'content_block_stop',
    'message_delta',
    'message_stop',
  ]);
  expect(events[0]).toMatchObject({ message: { usage: { input_tokens: 50, output_tokens: 1 } } });
  expect(events.at(-2)).toMatchObject({ usage: { output_tokens: 20 } });
});

test('tokens are counted', async () => {
  const { anthropic } = await start({ usage });
  const { max_tokens, ...counted } = asked;
  expect(await anthropic.messages.countTokens(counted)).toEqual({ input_tokens: 100 });
});

test("errors and faults have the form of Anthropic's API", async () => {
  const { anthropic, server } = await start([
    { failures: { status: 429, times: 1, retryAfterMs: 1 } },
    { fault: { kind: 'error', afterEvents: 2 } },
    { usage: 'missing', stopReason: 'length' },
  ]);
  expect((await anthropic.messages.create(asked)).stop_reason).toBe('end_turn');
  const stream = await anthropic.messages.create({ ...asked, stream: true });
  await expect(collect(stream)).rejects.toThrow('The model broke.');
  const cut = await anthropic.messages.create(asked);
  expect([cut.usage, cut.stop_reason]).toEqual([undefined, 'max_tokens']);
  expect(server.requests.map(({ status }) => status)).toEqual([429, 200, 200, 200]);
});
