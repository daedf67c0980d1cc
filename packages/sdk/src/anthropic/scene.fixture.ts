/** What the tests of this adapter share: a model server, a client without and with a mandate, and what was recorded. */
import Anthropic, { type ClientOptions } from '@anthropic-ai/sdk';
import { type ModelScript, startModelServer } from '@mandate/testing/model-server';
import { onTestFinished } from 'vitest';
import { localPoint } from '../local/local-point.ts';
import { MandateInstance } from '../mandate.ts';
import { MemoryStateManager } from '../state.ts';
import type { Decision, MandateDocument, RunningOutcome } from '../types.ts';
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
  /** Replaces what the decision point does. */
  decide?: () => Promise<Decision>;
};

export async function scene({ script = {}, document = {}, options = {}, client = {}, decide }: Scene = {}) {
  const server = await startModelServer(script);
  onTestFinished(() => server.close());
  const decisions: Decision[] = [];
  const outcomes: RunningOutcome[] = [];
  const state = new MemoryStateManager();
  class Recorded extends MandateInstance {
    protected override openPoint() {
      const point = localPoint({ mandate: document, agentId: 'bot', state });
      return {
        ...point,
        async decide(...given: Parameters<typeof point.decide>) {
          const decision = await (decide?.() ?? point.decide(...given));
          decisions.push(decision);
          return decision;
        },
        settle(...given: Parameters<typeof point.settle>) {
          const { status, usage } = given[0] as RunningOutcome;
          outcomes.push(usage === undefined ? { status } : { status, usage });
          return point.settle(...given);
        },
      };
    }
  }
  const mandate = new Recorded({ agentId: 'bot' });
  const bare = new Anthropic({ apiKey: 'sk-test', baseURL: server.url, ...client });
  const wrapped = wrapAnthropic(bare, mandate, options);
  return { server, mandate, decisions, outcomes, bare, wrapped };
}
