/** What the tests of this adapter share: both majors of the AI SDK, a model server, and what was recorded. */
import { createOpenAI } from '@ai-sdk/openai';
import { type ModelScript, startModelServer } from '@mandate/testing/model-server';
import * as ai7 from 'ai';
import * as ai6 from 'ai-6';
import { onTestFinished } from 'vitest';
import { localPoint } from '../local/local-point.ts';
import { MandateInstance } from '../mandate.ts';
import { MemoryStateManager } from '../state.ts';
import type { Decision, MandateDocument, RunningOutcome } from '../types.ts';
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
  /** Replaces what the decision point does. */
  decide?: () => Promise<Decision>;
};

export async function scene({ ai, script = {}, document = {}, options = {}, decide }: Scene) {
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
  const mandate = new Recorded({ agentId: 'bot', runId: 'run-1' });
  const openai = createOpenAI({ apiKey: 'sk-test', baseURL: server.openaiUrl }).chat('gpt-4o');
  // A wrapped model has the specification of the major that wrapped it, so AI SDK 6 takes it too.
  const bare = ai.wrapLanguageModel({ model: openai, middleware: { specificationVersion: 'v4' } });
  const model = ai.wrapLanguageModel({ model: bare, middleware: mandateModel(mandate, options) });
  /** Answers the question about a deferred action as an operator does. */
  const answer = async (granted: boolean) => {
    const { tenant, agentId, actionId, digest } = decisions.find(
      ({ verdict }) => verdict === 'DEFER',
    ) as never;
    await state.ledger.approve({
      ...{ id: 'a1', by: 'op', reason: 'fine', tenant, agentId, actionId, digest },
      answer: granted ? 'granted' : 'refused',
      expiresAtMs: state.clock() + 60_000,
    } as never);
  };
  return { server, mandate, decisions, outcomes, bare, model, answer };
}
