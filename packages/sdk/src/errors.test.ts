import { inspect } from 'node:util';
import { expect, test, vi } from 'vitest';
import { findMandateError, isMandateError, logError, MandateBlockedError, misused } from './errors.ts';

function blocked(): MandateBlockedError {
  return new MandateBlockedError('TOOL_DENIED', {
    reason: 'The tool is denied.',
    remedy: 'Use another tool.',
    action: { id: 'act_1', agentId: 'bot', type: 'tool_call', tool: 'shell' },
    decision: null,
  });
}

test('an error tells a model its code, its reason and what to do', () => {
  const error = blocked();
  expect(error.message).toBe('TOOL_DENIED: The tool is denied. Use another tool.');
  expect(error).toMatchObject({ name: 'MandateBlockedError', code: 'TOOL_DENIED', agentId: 'bot' });
});

test('the reason of an operator becomes a sentence, so that a model sees where the remedy begins', () => {
  const facts = {
    remedy: 'Stop.',
    action: { id: 'a', agentId: 'bot', type: 'tool_call' },
    decision: null,
  } as const;
  const message = (reason: string) => new MandateBlockedError('AGENT_KILLED', { reason, ...facts }).message;
  expect(message('It was stopped: runaway')).toBe('AGENT_KILLED: It was stopped: runaway. Stop.');
  expect(message('It was stopped!')).toBe('AGENT_KILLED: It was stopped! Stop.');
});

test('an error is found inside the errors of frameworks, in `cause` and in `error`', () => {
  const error = blocked();
  const wrapped = new Error('tool failed', { cause: { error: new Error('inner', { cause: error }) } });
  expect(findMandateError(wrapped)).toBe(error);
  expect([isMandateError(error), isMandateError(wrapped)]).toEqual([true, true]);
});

test('no error is found in other values, and in errors that contain themselves', () => {
  const loop = new Error('loop');
  loop.cause = loop;
  for (const other of [loop, new Error('x'), 'text', null, undefined, { cause: 7 }]) {
    expect(isMandateError(other)).toBe(false);
  }
});

test('an error of another copy of the SDK is found', () => {
  const foreign = { [Symbol.for('@mandate/sdk.error')]: true };
  expect(findMandateError(new Error('x', { cause: foreign }))).toBe(foreign);
});

test('printing an error and writing it as JSON shows neither its action nor its decision', () => {
  const error = new MandateBlockedError('TOOL_DENIED', {
    reason: 'The tool is denied.',
    remedy: 'Use another tool.',
    action: {
      id: 'act_1',
      agentId: 'bot',
      type: 'tool_call',
      tool: 'shell',
      args: { note: 'private-7' },
    } as never,
    decision: null,
  });
  expect(inspect(error) + JSON.stringify(error)).not.toContain('private-7');
});

test('an error that stops no call is printed in one line, unless it has a cause', () => {
  const printed = vi.spyOn(console, 'error').mockReturnValue();
  const unexpected = new TypeError('broken');
  logError(misused('The key is wrong.', 'Use another.'));
  logError(unexpected);
  expect(printed.mock.calls).toEqual([
    ['mandate:', 'The key is wrong. Use another.'],
    ['mandate:', unexpected],
  ]);
  printed.mockRestore();
});
