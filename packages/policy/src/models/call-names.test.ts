import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { callNames } from './call-names.ts';
import { compileModels, compileProviders, modelPatterns } from './name-lists.ts';
import { normalModel, normalProvider } from './normal-form.ts';

const WORDS = [
  'openai',
  'azure',
  'bedrock',
  'meta-llama',
  'mallory',
  'models',
  'us',
  'us-east-1',
  'openrouter',
];
const MODELS = [
  ...[
    'gpt-4o',
    'GPT-4o-2024-08-06',
    'claude-opus-4-1',
    'claude-4.5-sonnet-20250929',
    'kimi-k2p6',
    'gpt-35-turbo',
  ],
  ...['anthropic.claude-3-haiku-20240307-v1:0', 'ft:gpt-4o-mini:org::id', 'house', 'llama3:8b', 'o3@latest'],
];
const ENDINGS = ['', ':free', '-latest', '-0613', '-v2', '@001', '-2024-08-06', ':0'];
const model = fc
  .tuple(
    fc.array(fc.constantFrom(...WORDS), { maxLength: 4 }),
    fc.constantFrom(...MODELS),
    fc.array(fc.constantFrom(...ENDINGS), { maxLength: 3 }),
  )
  .map(([words, name, endings]) => [...words, name + endings.join('')].join('/'));
const provider = fc.constantFrom(undefined, 'openai', 'Azure_OpenAI', 'vertex_ai', 'our-proxy');

test('every pattern that allows a call can also deny it', () => {
  fc.assert(
    fc.property(provider, model, (stated, name) => {
      const { models, providers } = callNames(stated, name);
      for (const { allowed, denied } of [models, ...providers])
        expect(allowed.filter((one) => !denied.includes(one))).toEqual([]);
    }),
  );
});

test('a pattern that equals a name matches this name, when allowing and when denying, in any letter case', () => {
  fc.assert(
    fc.property(provider, model, (stated, name) => {
      const list = compileModels([name.toUpperCase()]);
      const { models } = callNames(stated, name);
      expect(list.match(models.allowed)).toBe(name.toUpperCase());
      expect(list.match(models.denied)).toBe(name.toUpperCase());
    }),
  );
});

test('a pattern that denies a model denies every spelling of it', () => {
  fc.assert(
    fc.property(provider, fc.array(fc.constantFrom(...WORDS), { maxLength: 4 }), (stated, words) => {
      const { models } = callNames(stated, [...words, 'GPT-4o-2024-08-06:free'].join('/'));
      for (const pattern of ['gpt-4*', 'gpt-4o', 'openai/*', '*4o*'])
        expect(compileModels([pattern]).match(models.denied), pattern).toBe(pattern);
    }),
  );
});

test('normalizing a normal form does not change it, and records contain the normal forms', () => {
  fc.assert(
    fc.property(provider, model, (stated, name) => {
      const names = callNames(stated, name);
      expect(normalModel(name)).toBe(names.model);
      expect(normalModel(names.model)).toBe(names.model);
      if (names.provider !== null) expect(normalProvider(names.provider)).toBe(names.provider);
    }),
  );
});

describe('lists of models', () => {
  const allows = (pattern: string, name: string, stated?: string) =>
    compileModels([pattern]).match(callNames(stated, name).models.allowed) !== null;
  const denies = (pattern: string, name: string, stated?: string) =>
    compileModels([pattern]).match(callNames(stated, name).models.denied) !== null;

  test.each<[pattern: string, name: string, allowed: boolean, denied: boolean, provider?: string]>([
    ['gpt-4o', 'gpt-4o', true, true],
    ['gpt-4o', 'gpt-4o-mini', false, false],
    ['gpt-4o', 'gpt-4o-2024-08-06', true, true],
    ['gpt-4o', 'gpt-4o-20240806', true, true],
    ['gpt-4o-2024-08-06', 'gpt-4o', false, false],
    ['gpt-4o-2024-08-06', 'gpt-4o-2024-05-13', false, false],
    ['gpt-4', 'gpt-4-0613', false, true],
    ['gpt-4.1', 'gpt-4-1106-preview', false, false],
    ['gpt-4-*', 'gpt-4.1', false, false],
    ['gpt-5.6-sol', 'gpt-5-6-sol', true, true],
    ['kimi-k2.6', 'accounts/fireworks/models/kimi-k2p6', true, true],
    ['gpt-3.5-turbo', 'azure/gpt-35-turbo', true, true],
    ['claude-opus-4-1', 'anthropic/claude-opus-4.1', true, true],
    ['claude-opus-4.1', 'claude-opus-4-1-20250805', true, true],
    ['claude-opus-4-1', 'anthropic/claude-4.1-opus-20250805', true, true],
    ['claude-opus-4-1', 'us.anthropic.claude-opus-4-1-20250805-v1:0', true, true],
    ['claude-3-*', 'anthropic/claude-3.5-sonnet', true, true],
    ['claude-3-5-sonnet', 'vertex_ai/claude-3-5-sonnet@20240620', true, true],
    ['claude-3-5-haiku', 'claude-3-5-haiku-latest', true, true],
    ['gemini-1.5-pro', 'models/gemini-1.5-pro-002', false, true],
    ['llama-4-scout', 'meta-llama/llama-4-scout:free', false, true],
    ['llama3', 'llama3:8b', false, true],
    ['mallory/*', 'mallory/gpt-4o', true, true],
    ['gpt-4o', 'mallory/gpt-4o', false, true],
    ['gpt-4o', 'a/b/c/d/e/f/g/h/i/j/gpt-4o', false, true],
    ['openai/gpt-4o', 'gpt-4o', false, true],
    ['openai/gpt-4o', 'gpt-4o', true, true, 'OpenAI'],
    ['openai/gpt-4o', 'azure/gpt-4o', false, true],
    ['openai/gpt-4o', 'openai/gpt-4o', true, true, 'openrouter'],
    ['openai/gpt-4o', 'openrouter/openai/gpt-4o', false, true],
    ['openrouter/*', 'openai/gpt-4o', true, true, 'openrouter'],
    ['bedrock/*', 'anthropic.claude-v2', true, true],
    ['bedrock/*', 'claude-v2', true, true, 'aws'],
    ['eu.anthropic.*', 'us.anthropic.claude-opus-4-1-20250805-v1:0', false, false],
    ['anthropic.claude-*', 'us.anthropic.claude-opus-4-1-20250805-v1:0', false, true],
    ['us.anthropic.*', 'us.anthropic.claude-opus-4-1-20250805-v1:0', true, true],
    ['azure/*', 'gpt-4o', false, false],
    ['azure/*', 'gpt-4o', true, true, 'azure'],
    ['models/*', 'gpt-4o', false, false],
    ['models/*', 'models/gemini-1.5-pro', true, true],
    ['*', 'house', true, true],
  ])('%s and %s: allowed by %s, denied by %s', (pattern, name, allowed, denied, stated) => {
    expect([allows(pattern, name, stated), denies(pattern, name, stated)]).toEqual([allowed, denied]);
  });

  test('returns the pattern as its author wrote it', () => {
    const list = compileModels(['x', 'OpenAI/GPT-4*', 'gpt-4o']);
    expect(list.match(callNames('openai', 'gpt-4o').models.denied)).toBe('gpt-4o');
    expect(list.match(callNames('openai', 'gpt-4.1').models.denied)).toBe('OpenAI/GPT-4*');
  });

  test('an empty list matches no provider', () => {
    expect(compileModels([]).match(callNames('openai', 'gpt-4o').models.denied)).toBeNull();
  });

  test('keeps a path before a star, and does not shorten the pattern to a star', () => {
    expect(modelPatterns('models/*')).toEqual(['models/*']);
    expect(modelPatterns('*')).toEqual(['*']);
  });
});

describe('lists of providers', () => {
  test.each<
    [pattern: string, provider: string | undefined, model: string, allowed: boolean, denied: boolean]
  >([
    ['azure', 'Azure_OpenAI', 'gpt-4o', true, true],
    ['bedrock', 'aws', 'x', true, true],
    ['bedrock', undefined, 'anthropic.claude-v2', true, true],
    ['google', 'vertex_ai', 'gemini-2.5-pro', false, true],
    ['vertex_ai', 'google', 'gemini-2.5-pro', false, false],
    ['openai', 'openai', 'azure/gpt-4o', false, true],
    ['openrouter', 'openrouter', 'anthropic/claude-opus-4.1', true, true],
    ['anthropic', 'openrouter', 'anthropic/claude-opus-4.1', false, false],
    ['anthropic', undefined, 'anthropic/claude-opus-4.1', true, true],
    ['our-*', 'Our_Proxy', 'x', true, true],
    ['open*', 'our-proxy', 'x', false, false],
  ])('%s and %s %s: allowed by %s, denied by %s', (pattern, stated, name, allowed, denied) => {
    const list = compileProviders([pattern]);
    const { providers } = callNames(stated, name);
    expect(providers.every((one) => list.match(one.allowed) !== null)).toBe(allowed);
    expect(providers.some((one) => list.match(one.denied) !== null)).toBe(denied);
  });
});

test('reads a name with extremely many spellings in bounded time', () => {
  const path = 'openai/azure/eu/groq/openrouter/'.repeat(3);
  const name = `${path}claude-4-1-${'ab-'.repeat(20)}-v1-2024-01-01-latest:0`;
  expect(callNames('aws', name).units).toBeLessThan(40_000);
});
