import { Mandate } from '@mandate/sdk';
import { expect, test } from 'vitest';
import { answerOfError, forCall } from './governed-call.ts';
import type { ModelCall } from './model.ts';

function callOf(actions: string[]): ModelCall {
  return {
    ...{ systemPrompt: '', userPrompt: '', answerSchema: {}, signal: new AbortController().signal },
    onAction: (id) => actions.push(id),
  };
}

test('never waits for an approval, even if the instance waits, and names the action', async () => {
  const mandate = new Mandate({
    mandate: { toolPolicies: { pay: { requiresConfirmation: true } } },
    onDefer: 'wait',
  });
  const actions: string[] = [];
  const call = callOf(actions);
  const agent = forCall(mandate, call).agent({ agentId: 'bot' });
  const error = await agent.start({ type: 'tool_call', tool: 'pay', args: {} }).catch((thrown) => thrown);
  expect(answerOfError(error, call.signal)).toEqual({ outcome: 'blocked', code: 'APPROVAL_REQUIRED' });
  expect(actions).toEqual([expect.stringMatching(/^act_/)]);
});

test.each<[unknown, object]>([
  [Object.assign(new Error('x'), { status: 503 }), { outcome: 'failed', status: 503 }],
  [Object.assign(new Error('x'), { status: '503' }), { outcome: 'failed', status: null }],
  [new TypeError('fetch failed'), { outcome: 'failed', status: null }],
  [null, { outcome: 'failed', status: null }],
])('reports an error of the provider by its HTTP status: %s', (error, expected) => {
  expect(answerOfError(error, new AbortController().signal)).toEqual(expected);
});
