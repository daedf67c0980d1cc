import { waitForUpdate } from '@pydantic/genai-prices';
import { expect, test } from 'vitest';
import {
  folded,
  foldedName,
  makerNamed,
  makerNames,
  makerOf,
  PROVIDERS,
  providerNamed,
} from './known-providers.ts';

test('every price list belongs to a known provider', async () => {
  // This call fetches nothing, because the library contains the lists.
  const lists = (await waitForUpdate())?.map(({ id }) => id) ?? [];
  const known = new Set(PROVIDERS.flatMap(({ priceList }) => priceList ?? []));
  expect(lists.filter((list) => !known.has(list))).toEqual([]);
  expect([...known].filter((list) => !lists.includes(list))).toEqual([]);
});

test('a provider with a price list has the name of the list', () => {
  for (const { priceList } of PROVIDERS)
    if (priceList !== null) expect(providerNamed(foldedName(priceList))?.priceList).toBe(priceList);
});

test('no two providers share a name, and each name is in the form that is compared', () => {
  const names = PROVIDERS.flatMap((provider) => provider.names);
  expect(new Set(names).size).toBe(names.length);
  expect(names.filter((name) => name !== foldedName(name))).toEqual([]);
});

test('every provider that contains another provider is known', () => {
  for (const { partOf } of PROVIDERS) if (partOf !== null) expect(providerNamed(partOf)?.id).toBe(partOf);
});

test.each([
  ['OpenAI', 'openai'],
  ['openai.responses', 'openai'],
  ['Azure_OpenAI', 'azure'],
  ['azure.ai.openai', 'azure'],
  ['gcp.vertex_ai', 'google-vertex'],
  ['google.vertex.chat', 'google-vertex'],
  ['google.generative-ai', 'google'],
  ['aws.bedrock', 'aws'],
  ['bedrock_converse', 'aws'],
  ['x_ai', 'x-ai'],
  ['together_ai', 'together'],
  ['openai.example.com', null],
  ['not-openai', null],
])('the provider named %s is %s', (text, id) => {
  expect(providerNamed(foldedName(text))?.id ?? null).toBe(id);
});

test.each([
  ['gpt-4o', 'openai'],
  ['o3-mini', 'openai'],
  ['o30', null],
  ['claude-opus-4-1', 'anthropic'],
  ['gemini-2.5-pro', 'google'],
  ['llama-3.3-70b', 'meta'],
  ['mixtral-8x7b', 'mistral'],
  ['house-model', null],
])('%s is made by %s', (model, maker) => {
  expect(makerOf(model)).toBe(maker);
});

test('a maker has several names', () => {
  expect(makerNamed('meta-llama')).toBe('meta');
  expect(makerNames('meta')).toContain('meta-llama');
  expect(makerNames('mallory')).toEqual([]);
});

test.each([
  ['GPT-4o', 'gpt-4o'],
  ['ｇｐｔ-4o', 'gpt-4o'],
  ['𝐠𝐩𝐭-4o', 'gpt-4o'],
  // The compatibility form of this character would contain a blank, or would be too long for a name. So the character
  // stays.
  ['gpt´', 'gpt´'],
  ['ﷺ'.repeat(20), 'ﷺ'.repeat(20)],
  ['İ'.repeat(150), 'İ'.repeat(150)],
])('%s is compared as %s', (text, form) => {
  expect(folded(text)).toBe(form);
});
