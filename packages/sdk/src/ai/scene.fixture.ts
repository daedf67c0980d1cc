/**
 * Functions for the tests of this adapter: both major versions of the AI SDK, a model server, and the recorded calls.
 */
import { createOpenAI } from '@ai-sdk/openai';
import { type ModelScript, startModelServer } from '@mandate/testing/model-server';
import * as ai7 from 'ai';
import * as ai6 from 'ai-6';
import { onTestFinished } from 'vitest';
import { type DecideInstead, recordedMandate } from '../adapters/recorded-mandate.fixture.ts';
import type { MandateDocument } from '../types.ts';
import { type ModelOptions, mandateModel } from './index.ts';

/** The second major has the same functions for everything that the tests use. */
export const MAJORS: [string, typeof ai7][] = [
  ['AI SDK 7', ai7],
  ['AI SDK 6', ai6 as unknown as typeof ai7],
];

type Scene = {
  ai: typeof ai7;
  script?: ModelScript;
  document?: MandateDocument;
  options?: ModelOptions;
  decide?: DecideInstead;
};

export async function scene({ ai, script = {}, document = {}, options = {}, decide }: Scene) {
  const server = await startModelServer(script);
  onTestFinished(() => server.close());
  const recorded = recordedMandate({ document, decide, runId: 'run-1' });
  const openai = createOpenAI({ apiKey: 'sk-test', baseURL: server.openaiUrl }).chat('gpt-4o');
  // A wrapped model has the specification of the major version that wrapped it, so AI SDK 6 accepts it too.
  const bare = ai.wrapLanguageModel({ model: openai, middleware: { specificationVersion: 'v4' } });
  const middleware = mandateModel(recorded.mandate, options);
  return { ...recorded, server, bare, model: ai.wrapLanguageModel({ model: bare, middleware }) };
}
