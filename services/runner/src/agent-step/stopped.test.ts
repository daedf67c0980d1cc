import { MandateBlockedError } from '@mandate/sdk/plane';
import { expect, test } from 'vitest';
import { stopOf, stopOfRefusal } from './stopped.ts';

const REFUSED = new MandateBlockedError('AGENT_KILLED', {
  reason: 'The agent was stopped by the kill switch: stop',
  remedy: 'Ask an operator.',
  action: { id: 'act_1', agentId: 'bot', type: 'tool_call' },
  decision: null,
});
const WORDS = 'The agent was stopped by the kill switch: stop. Ask an operator.';

test('the message of a failed step does not repeat its code', () => {
  const { code, message: text } = REFUSED;
  expect(text).toBe(`AGENT_KILLED: ${WORDS}`);
  const failed = { status: 'failed', code: 'AGENT_KILLED', message: WORDS, kind: 'hard block' };
  expect(stopOf(REFUSED, { actionId: 'act_1', tool: null })?.result).toEqual(failed);
  expect(stopOfRefusal({ type: 'refused', code, text }).result).toEqual(failed);
});
