import type { RunEvent } from '@mandate/schemas';
import { expect, test } from 'vitest';
import { eventLine, waitingLines } from './run-text.ts';

const question = { approvalId: 'apv_1', agentId: 'desk.cashier', actionId: 'run_1:pay:1' };

test('offers to approve or to deny, and then to follow the run', () => {
  expect(waitingLines('run_1', { for: 'approval', step: 'pay', approvals: [question] })).toEqual([
    'waits for a person: desk.cashier asks at the step pay',
    '  mandate approvals show apv_1',
    '  mandate approvals approve apv_1',
    '  mandate approvals deny apv_1',
    'then follow the run',
    '  mandate runs resume run_1',
  ]);
});

test('for a call with an unknown result, offers a command that reports the result, with the name of the step', () => {
  const waiting = { for: 'resolution', step: 'pay', tool: 'send', actionId: 'run_1:pay:1' } as const;
  const lines = waitingLines('run_1', waiting);
  expect(lines).toContain('  mandate runs resolve run_1 pay --done \'{"…": "…"}\'');
  expect(lines).toContain('  mandate runs resolve run_1 pay --not-done');
  expect(lines.at(-1)).toBe('  mandate runs resume run_1');
});

test.each([
  [{ type: 'refused', code: 'APPROVAL_DENIED', text: 'No.' }, 'refused: APPROVAL_DENIED'],
  [{ type: 'failed', code: 'TOOL_FAILED', message: 'No.' }, 'failed: TOOL_FAILED'],
  [{ type: 'tool', text: 'done', isError: false }, 'tool'],
] as const)('shows the code of a call without an answer: %j', (answer, said) => {
  const event: RunEvent = {
    ...{ event: 'call.completed', runId: 'run_1', tenant: 'default', at: '2026-01-30T12:00:00.000Z' },
    ...{ step: 'pay', visit: 1, attempt: 1, actionId: 'run_1:pay:1:t1', agentId: 'desk.cashier' },
    ...{ actionAttempt: null, answer, outcome: null },
  };
  expect(eventLine(event)).toBe(`12:00:00  call.completed  pay  desk.cashier ${said}`);
});

test('says that a person has answered, and not that the person approved, because an answer about a call may be no', () => {
  const event: RunEvent = {
    ...{ event: 'step.granted', runId: 'run_1', tenant: 'default', at: '2026-01-30T12:00:00.000Z' },
    ...{ step: 'pay', visit: 1, attempt: 1 },
  };
  expect(eventLine(event)).toBe('12:00:00  step.granted    pay  a person has answered');
});
