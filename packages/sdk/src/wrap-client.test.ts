import Anthropic from '@anthropic-ai/sdk';
import { startModelServer } from '@mandate/testing/model-server';
import OpenAI from 'openai';
import { expect, expectTypeOf, onTestFinished, test } from 'vitest';
import { Mandate } from './index.ts';

test('a client of OpenAI is put under the mandate that is stated with it', async () => {
  const server = await startModelServer();
  onTestFinished(() => server.close());
  const mandate = new Mandate();
  const openai = mandate.wrap(new OpenAI({ apiKey: 'sk-test', baseURL: server.openaiUrl }), {
    agentId: 'bot',
    mandate: { maxCostTotal: 10, allowedModels: ['gpt-4o*'] },
    maxOutputTokens: 100,
  });
  expectTypeOf(openai).toEqualTypeOf<OpenAI>();
  await openai.responses.create({ model: 'gpt-4o-mini', input: 'Hi' });
  const refused = openai.responses.create({ model: 'gpt-6-astra', input: 'Hi' });
  await expect(refused).rejects.toMatchObject({ code: 'MODEL_NOT_ALLOWED', agentId: 'bot' });
  expect(await mandate.getCallCount('bot')).toBe(1);
  expect((await mandate.getCost('bot')).llmMicros).toBeGreaterThan(0);
});

test('a client of Anthropic is put under the mandate of the instance', async () => {
  const server = await startModelServer();
  onTestFinished(() => server.close());
  const mandate = new Mandate({ agentId: 'bot', mandate: { maxCostTotal: 10 } });
  const anthropic = mandate.wrap(new Anthropic({ apiKey: 'sk-test', baseURL: server.url }));
  expectTypeOf(anthropic).toEqualTypeOf<Anthropic>();
  const messages = [{ role: 'user' as const, content: 'Hi' }];
  await anthropic.messages.create({ model: 'claude-opus-5', max_tokens: 10, messages });
  expect(await mandate.getCallCount()).toBe(1);
});

test('any other client is refused, and adds no mandate', async () => {
  const mandate = new Mandate();
  for (const client of [{}, null, { messages: {}, withOptions: () => null }]) {
    expect(() => mandate.wrap(client as never, { agentId: 'bot', mandate: {} } as never)).toThrow(
      'No adapter knows this client.',
    );
  }
  const run = mandate.createExecutor({ agentId: 'bot' }).run('read', {}, () => null);
  await expect(run).rejects.toMatchObject({ code: 'MANDATE_NOT_FOUND' });
});
