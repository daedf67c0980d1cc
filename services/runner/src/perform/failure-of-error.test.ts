import { MandateBlockedError } from '@mandate/sdk/plane';
import { expect, test } from 'vitest';
import { failureOfError } from './failure-of-error.ts';

test('the reason of a step that a kill ended does not repeat its code', () => {
  const killed = new MandateBlockedError('AGENT_KILLED', {
    ...{ reason: 'The agent was stopped: stop', remedy: 'Ask an operator.', decision: null },
    action: { id: 'act_1', agentId: 'bot', type: 'tool_call' },
  });
  expect(failureOfError(killed)).toEqual({
    ...{ code: 'AGENT_KILLED', reason: 'The agent was stopped: stop. Ask an operator.' },
    ...{ retryable: false, retryAfterMs: null },
  });
  expect(failureOfError(new Error('no disk'))).toMatchObject({ code: 'STEP_FAILED', reason: 'no disk' });
});
