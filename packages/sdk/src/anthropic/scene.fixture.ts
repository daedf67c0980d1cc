/**
 * Functions for the tests of this adapter: a model server, a client without and with a mandate, and the recorded calls.
 */
import Anthropic, { type ClientOptions } from '@anthropic-ai/sdk';
import { type ModelScript, startModelServer } from '@mandate/testing/model-server';
import { onTestFinished } from 'vitest';
import { type DecideInstead, recordedMandate } from '../adapters/recorded-mandate.fixture.ts';
import type { MandateDocument } from '../types.ts';
import { type AnthropicOptions, wrapAnthropic } from './index.ts';

export const asked = {
  model: 'claude-opus-5',
  max_tokens: 100,
  messages: [{ role: 'user' as const, content: 'Hi' }],
};

type Scene = {
  script?: ModelScript;
  document?: MandateDocument;
  options?: AnthropicOptions;
  client?: ClientOptions;
  decide?: DecideInstead;
};

export async function scene({ script = {}, document = {}, options = {}, client = {}, decide }: Scene = {}) {
  const server = await startModelServer(script);
  onTestFinished(() => server.close());
  const recorded = recordedMandate({ document, decide });
  const bare = new Anthropic({ apiKey: 'sk-test', baseURL: server.url, ...client });
  return { ...recorded, server, bare, wrapped: wrapAnthropic(bare, recorded.mandate, options) };
}
