/** Tests model calls with a cost that is known only after the call, or never. */
import { startModelServer } from '@mandate/testing/model-server';
import OpenAI from 'openai';
import { expect, onTestFinished, test } from 'vitest';
import type { Mandate } from '../index.ts';
import type { Call } from '../types.ts';
import { type AgentUnder, atOnce, codeOf, DOLLAR, refusalOf, tally, WAITING } from './scene.ts';

/** 1,000 tokens of input at 0.3 micro-dollars and 1,000 of output at 0.6: $0.0009. */
const PRICED = { modelPrices: { 'model-a': { inputPerMillion: 0.3, outputPerMillion: 0.6 } } };
const call: Call = {
  ...{ type: 'llm_call', provider: 'openai', model: 'model-a' },
  ...{ inputTokens: 1_000, maxOutputTokens: 1_000 },
};
/** 1,000 × 0.3 + 14,999,500 × 0.6 = 300 + 8,999,700 micro-dollars: $9. */
const usage = { inputTokens: 1_000, outputTokens: 14_999_500 };

export function modelCalls(agentUnder: AgentUnder): void {
  const openaiOf = async (mandate: Mandate) => {
    const server = await startModelServer({ usage });
    onTestFinished(() => server.close());
    const bare = new OpenAI({ apiKey: 'sk-test', baseURL: server.openaiUrl, logLevel: 'off' });
    const openai = mandate.wrap(bare, { countTokens: () => 1_000, maxOutputTokens: 1_000 });
    const ask = (model: string) =>
      openai.chat.completions.create({ model, messages: [{ role: 'user', content: 'Hi' }] });
    return { server, ask };
  };

  test.each([
    ['the caller states', { actualCostMicros: 9 * DOLLAR }],
    ['its tokens show', { usage }],
    ['OpenAI states', null],
  ])(
    'a call with an estimate of 900 micro-dollars costs nine dollars, as %s, and the next call is blocked',
    async (_what, outcome) => {
      const { mandate, agentId } = await agentUnder({ ...PRICED, maxCostTotal: 1 });
      const { server, ask } = await openaiOf(mandate);
      const agent = mandate.agent({ agentId });
      if (outcome === null) await ask('model-a');
      else {
        const running = await agent.start(call);
        expect(running.decision.chargedMicros).toBe(900);
        await running.settle({ status: 'success', ...outcome });
      }
      expect(await codeOf(agent.start(call))).toBe('COST_LIMIT_EXCEEDED');
      expect(await codeOf(ask('model-a'))).toBe('COST_LIMIT_EXCEEDED');
      expect(server.requests).toHaveLength(outcome === null ? 1 : 0);
      await expect
        .poll(() => mandate.getCost(agentId), WAITING)
        .toEqual({ totalMicros: 9 * DOLLAR, llmMicros: 9 * DOLLAR, toolMicros: 0 });
      expect(await mandate.getRemainingBudget(agentId)).toBe(-8 * DOLLAR);
      expect(await mandate.getCallCount(agentId)).toBe(1);
    },
  );

  test('a call of an unknown model does not run', async () => {
    const { mandate, agentId } = await agentUnder({ maxCostTotal: 100 });
    const { server, ask } = await openaiOf(mandate);
    const refused = await refusalOf(ask('no-such-model'));
    expect(refused).toMatchObject({
      code: 'UNPRICED_MODEL',
      retryable: false,
      action: { model: 'no-such-model' },
    });
    expect(refused.remedy).toContain('modelPrices');
    expect(server.requests).toEqual([]);
    expect([await mandate.getRemainingBudget(agentId), await mandate.getCallCount(agentId)]).toEqual([
      100 * DOLLAR,
      0,
    ]);
  });

  test('20 calls at once that may cost five dollars each, under ten dollars: two run', async () => {
    const { mandate, agentId } = await agentUnder({
      maxCostTotal: 10,
      modelPrices: { 'model-a': { inputPerMillion: 0, outputPerMillion: 5_000 } },
    });
    const agent = mandate.agent({ agentId });
    const codes = await atOnce(20, () => agent.start(call));
    expect(tally(codes)).toEqual({ ran: 2, COST_LIMIT_EXCEEDED: 18 });
    expect(await mandate.getRemainingBudget(agentId)).toBe(0);
  });
}
