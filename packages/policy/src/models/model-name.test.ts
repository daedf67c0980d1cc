import { describe, expect, test } from 'vitest';
import { readModelName } from './model-name.ts';

describe('splits a name into a path and a model', () => {
  test.each<[text: string, path: string[], model: string, providers: string[]]>([
    ['gpt-4o', [], 'gpt-4o', []],
    ['openai/GPT-4o', ['openai'], 'gpt-4o', ['openai']],
    ['azure_ai/gpt-4o', ['azure'], 'gpt-4o', ['azure']],
    ['openrouter/openai/gpt-4o:free', ['openrouter', 'openai'], 'gpt-4o:free', ['openrouter']],
    ['openrouter/azure/gpt-4o', ['openrouter', 'azure'], 'gpt-4o', ['openrouter', 'azure']],
    ['meta-llama/Llama-3.3-70B-Instruct', ['meta'], 'llama-3.3-70b-instruct', []],
    ['openai:gpt-4o', ['openai'], 'gpt-4o', ['openai']],
    ['openrouter:anthropic/claude-opus-4.1', ['openrouter', 'anthropic'], 'claude-opus-4.1', ['openrouter']],
    ['ollama:llama3:8b', ['ollama'], 'llama3:8b', ['ollama']],
    ['mistral:7b', [], 'mistral:7b', []],
    ['models/gemini-2.5-pro', [], 'gemini-2.5-pro', []],
    ['anthropic.claude-v2', ['aws', 'anthropic'], 'claude-v2', ['aws']],
    ['us.amazon.nova-pro-v1:0', ['aws', 'us', 'amazon'], 'nova-pro-v1:0', ['aws']],
    ['bedrock/us-east-1/anthropic.claude-v2', ['aws', 'us-east-1', 'anthropic'], 'claude-v2', ['aws']],
    [
      'arn:aws:bedrock:us-east-1::foundation-model/anthropic.claude-3-haiku-20240307-v1:0',
      ['aws', 'anthropic'],
      'claude-3-haiku-20240307-v1:0',
      ['aws'],
    ],
    [
      'projects/p/locations/eu/publishers/google/models/gemini-2.5-pro',
      ['google-vertex', 'google'],
      'gemini-2.5-pro',
      ['google-vertex'],
    ],
    ['accounts/fireworks/models/kimi-k2p6', ['fireworks'], 'kimi-k2p6', ['fireworks']],
    ['@cf/meta/llama-3-8b-instruct', ['cloudflare', 'meta'], 'llama-3-8b-instruct', ['cloudflare']],
    ['mallory/gpt-4o', [], 'mallory/gpt-4o', []],
    ['openai/mallory/gpt-4o', ['openai'], 'mallory/gpt-4o', ['openai']],
    ['accounts/mallory/models/gpt-4o', [], 'accounts/mallory/models/gpt-4o', []],
    ['ft:gpt-4o-mini-2024-07-18:org::id', [], 'ft:gpt-4o-mini-2024-07-18:org::id', []],
    ['openai/', [], 'openai/', []],
    ['/gpt-4o', [], '/gpt-4o', []],
  ])('%s', (text, path, model, providers) => {
    expect(readModelName(text)).toEqual({ path, model, providers });
  });
});

test('if the provider is named elsewhere, reads a maker before the model only as the maker', () => {
  expect(readModelName('anthropic/claude-opus-4.1', true)).toMatchObject({ providers: [] });
  expect(readModelName('azure/gpt-4o', true)).toMatchObject({ providers: ['azure'] });
});
