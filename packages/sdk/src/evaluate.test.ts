import { manualClock } from '@mandate/runtime';
import type { Output, ToolCall } from '@mandate/schemas';
import { expect, test } from 'vitest';
import { evaluate } from './evaluate.ts';
import { loadContentFinders, Mandate } from './index.ts';
import { readMandate } from './policy.ts';
import type { MandateDocument } from './types.ts';

const atMs = Date.parse('2026-03-01T12:00:00Z');
const pay: ToolCall = { id: 'act_1', agentId: 'bot', type: 'tool_call', tool: 'pay' };
const total = { scope: 'agent', subject: 'bot', id: 'total', windowMs: null } as const;
const document: MandateDocument = {
  maxCostTotal: 10,
  rateLimit: { maxCalls: 2, windowMs: 60_000 },
  toolPolicies: { pay: { cost: 5 } },
};

test('decides by the given state, and always the same', () => {
  const spent = [{ ...total, micros: 5_000_001 }];
  const calls = [{ tool: null, timesMs: [atMs - 70_000, atMs - 40_000, atMs - 10_000] }];
  expect(evaluate(pay, document, { atMs })).toMatchObject({ code: 'ALLOWED', chargedMicros: 5_000_000 });
  expect(evaluate(pay, document, { atMs, spent }).code).toBe('COST_LIMIT_EXCEEDED');
  expect(evaluate(pay, document, { atMs, calls })).toMatchObject({
    code: 'RATE_LIMIT_EXCEEDED',
    final: false,
    retryAfterMs: 20_000,
  });
  expect(evaluate(pay, document, { atMs, killed: 'runaway' }).code).toBe('AGENT_KILLED');
  expect(evaluate({ ...pay, agentId: 'other' }, { ...document, agents: ['*'] }, { atMs, spent }).code).toBe(
    'ALLOWED',
  );
  expect(evaluate(pay, document, { atMs, spent, calls })).toEqual(
    evaluate(pay, document, { atMs, spent, calls }),
  );
});

test('gives the decision that the ledger gives in the same state', async () => {
  const clock = manualClock(atMs);
  const mandate = new Mandate({ agentId: 'bot', mandate: document, clock });
  const tools = mandate.createExecutor();
  const read = readMandate(document, 'bot');
  for (const [call, code] of ['ALLOWED', 'ALLOWED', 'COST_LIMIT_EXCEEDED'].entries()) {
    const ran = await tools.run('pay', {}, () => 'ALLOWED').catch((error) => error.code);
    const spent = [{ ...total, micros: call * 5_000_000 }];
    const calls = [{ tool: null, timesMs: Array<number>(call).fill(atMs) }];
    expect([ran, evaluate(pay, read, { atMs, spent, calls }).code]).toEqual([code, code]);
  }
});

test('reads a mandate with faults as an error', () => {
  expect(() => evaluate(pay, { maxCostTotal: -1 }, { atMs })).toThrow('maxCostTotal: must be');
});

test('filters answers with the finders of personal data', async () => {
  const answer: Output = { id: 'act_1', agentId: 'bot', type: 'output', text: 'Write to ann@example.org.' };
  const filtering: MandateDocument = {
    governance: { guardrails: { output: { blocked_content: [{ pii_detection: true }] } } },
  };
  const finders = await loadContentFinders();
  expect(evaluate(answer, filtering, { atMs }, finders)).toMatchObject({
    code: 'ALLOWED',
    obligations: { redactions: [{ type: 'email', start: 9, end: 24 }] },
  });
  expect(evaluate(answer, filtering, { atMs }).verdict).toBe('BLOCK');
});
