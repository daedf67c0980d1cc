/** Tests that an absent, a zero and an empty limit mean three different things: docs/semantics.md section 2. */
import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { asking, deciderInABox, decisionOf } from '../decider-in-a-box.ts';

// The timeout is long: a test may take about a second, and more on a busy machine.
vi.setConfig({ testTimeout: 30_000 });

async function codesOf(mandate: object, asks: readonly object[]) {
  const box = deciderInABox([mandate]);
  const answers = await box.answer(asks.map((ask) => box.append(ask)));
  return answers.map((answer) => decisionOf(answer).code);
}

const call = asking({ id: 'a', estimatedCostMicros: 1 });
const llmCall = asking({ id: 'a', type: 'llm_call', inputTokens: 1, maxOutputTokens: 0 });
const NO_TOKENS = { id: 'w', scope: 'agent', maxTokens: 0, windowMs: 1 };
const NO_TOOL_CALLS = { id: 'w', scope: 'agent', maxToolCalls: 0, windowMs: 1 };

test.each([
  ['maxCostTotal', 'COST_LIMIT_EXCEEDED', { maxCostTotal: 0 }],
  ['maxCostPerCall', 'COST_LIMIT_EXCEEDED', { maxCostPerCall: 0 }],
  ['a budget', 'COST_LIMIT_EXCEEDED', { budgets: [{ id: 'b', scope: 'agent', max: 0 }] }],
  ['rateLimit', 'RATE_LIMIT_EXCEEDED', { rateLimit: { maxCalls: 0, windowMs: 1 } }],
  ['allowedTools', 'TOOL_NOT_ALLOWED', { allowedTools: [] }],
  ['tools', 'UNKNOWN_TOOL', { tools: [] }],
])('%s: zero or empty refuses every call, absent refuses none', async (_field, code, zero) => {
  expect(await codesOf({}, [call])).toEqual(['ALLOWED']);
  expect(await codesOf(zero, [call])).toEqual([code]);
});

test.each([
  ['maxTokensTotal', 'TOKEN_LIMIT_EXCEEDED', { maxTokensTotal: 0 }],
  ['tokensPerWindow', 'TOKEN_LIMIT_EXCEEDED', { tokensPerWindow: [NO_TOKENS] }],
  ['maxToolCallsTotal', 'TOOL_CALL_LIMIT_EXCEEDED', { maxToolCallsTotal: 0 }],
  ['toolCallsPerWindow', 'TOOL_CALL_LIMIT_EXCEEDED', { toolCallsPerWindow: [NO_TOOL_CALLS] }],
])('%s: zero refuses every LLM call, absent and empty refuse none', async (_field, code, zero) => {
  expect(await codesOf({}, [llmCall])).toEqual(['ALLOWED']);
  expect(await codesOf({ tokensPerWindow: [], toolCallsPerWindow: [] }, [llmCall])).toEqual(['ALLOWED']);
  expect(await codesOf(zero, [llmCall])).toEqual([code]);
});

test('a limit on tool calls allows exactly as many calls at once as it has tool calls', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 0, max: 12 }), async (fits) => {
      const calls = Array.from({ length: fits + 1 }, (_, at) =>
        asking({ id: `a${at}`, type: 'llm_call', inputTokens: 1, maxOutputTokens: 0 }),
      );
      const codes = await codesOf({ maxToolCallsTotal: fits }, calls);
      expect(codes).toEqual([...Array<string>(fits).fill('ALLOWED'), 'TOOL_CALL_LIMIT_EXCEEDED']);
    }),
    { numRuns: 13 },
  );
});

test('a limit on tokens allows exactly as many calls as it has tokens for', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 100_000 }),
      fc.integer({ min: 0, max: 12 }),
      fc.nat(100_000),
      async (tokens, fits, rest) => {
        const codes = await codesOf(
          { maxTokensTotal: tokens * fits + (rest % tokens) },
          Array.from({ length: fits + 1 }, (_, at) =>
            asking({ id: `a${at}`, type: 'llm_call', inputTokens: 1, maxOutputTokens: tokens - 1 }),
          ),
        );
        expect(codes).toEqual([...Array<string>(fits).fill('ALLOWED'), 'TOKEN_LIMIT_EXCEEDED']);
      },
    ),
    { numRuns: 30 },
  );
});

test('an empty denylist denies nothing', async () => {
  expect(await codesOf({ deniedTools: [], deniedModels: [] }, [call])).toEqual(['ALLOWED']);
});

test('a total budget allows exactly as many calls as it can pay, to the micro-dollar', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 2_000_000 }),
      fc.integer({ min: 0, max: 12 }),
      fc.nat(2_000_000),
      async (price, fits, rest) => {
        const total = price * fits + (rest % price);
        const codes = await codesOf(
          { maxCostTotal: total / 1e6, toolPolicies: { get_user: { cost: price / 1e6 } } },
          Array.from({ length: fits + 1 }, (_, at) => asking({ id: `a${at}` })),
        );
        expect(codes).toEqual([...Array<string>(fits).fill('ALLOWED'), 'COST_LIMIT_EXCEEDED']);
      },
    ),
    { numRuns: 30 },
  );
});
