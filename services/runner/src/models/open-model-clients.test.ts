import { describe, expect, test } from 'vitest';
import { openModelClients } from './open-model-clients.ts';

const NOW = Date.parse('2026-11-01T00:00:00Z');
const openai = { protocol: 'openai', apiKey: 'sk-test' } as const;
const anthropic = { protocol: 'anthropic', apiKey: 'sk-test' } as const;

describe('the provider of a model', () => {
  const clients = openModelClients({ providers: { openai, anthropic, mine: openai } }, NOW);

  test.each([
    ['gpt-4o', null, 'openai'],
    ['claude-haiku-4-5', null, 'anthropic'],
    ['mine/llama', null, 'mine'],
    ['gpt-4o', 'mine', 'mine'],
    ['gpt-4o', 'azure', null],
    ['no-such-model', null, null],
  ])('of %s, with %s stated, is %s', (model, stated, provider) => {
    expect(clients.providerOf(model, stated)).toBe(provider);
  });

  test('is the default if no price list has the model', () => {
    const { providerOf } = openModelClients(
      { providers: { openai, mine: openai }, defaultProvider: 'mine' },
      NOW,
    );
    expect(providerOf('no-such-model', null)).toBe('mine');
    expect(providerOf('gpt-4o', null)).toBe('openai');
  });
});
