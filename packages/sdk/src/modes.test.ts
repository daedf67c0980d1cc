import { describe, expect, test, vi } from 'vitest';
import { findMandateError, Mandate, type MandateOptions } from './index.ts';

const PAY = { maxCostTotal: 100, toolPolicies: { pay: { cost: 5 } } };
const used = (options: object) =>
  new Mandate({ agentId: 'bot', ...options } as MandateOptions).createExecutor();

describe('a mandate that is no plain object is refused, and allows nothing:', () => {
  class Limits {
    get maxCostTotal() {
      return 1;
    }
  }
  test.each<[string, unknown]>([
    ['null', null],
    ['a list', []],
    ['a promise', Promise.resolve(PAY)],
    ['a map', new Map()],
    ['a date', new Date()],
    ['an instance of a class', new Limits()],
    ['a number', 5],
    ['false', false],
    ['a function', () => PAY],
  ])('%s', (_what, mandate) => {
    const invalid = expect.objectContaining({ code: 'MANDATES_INVALID' });
    expect(() => new Mandate({ agentId: 'bot', mandate: mandate as never })).toThrow(invalid);
    expect(() => new Mandate({ agentId: 'bot' }).createExecutor({ mandate: mandate as never })).toThrow(
      invalid,
    );
    const lead = new Mandate({ agentId: 'lead', mandate: {} });
    expect(() => lead.delegate({ agentId: 'bot', mandate: mandate as never })).toThrow(invalid);
  });
});

test.each<[object, string]>([
  [{ planeUrl: 'http://127.0.0.1:7420', mandate: PAY }, '"planeUrl" has no effect in local mode'],
  [{ redis: 'redis://127.0.0.1', mandate: PAY }, '"redis" has no effect in local mode'],
  [{ planURL: 'http://127.0.0.1:7420', mandate: PAY }, 'no option "planURL"'],
  [{ onDeffer: 'wait', mandate: PAY }, 'no option "onDeffer"'],
])('an option that would have no effect is refused: %j', (options, message) => {
  expect(() => used(options)).toThrow(message);
});

test.each<[object, string]>([
  [{ onDefer: 'waitt' }, 'onDefer is "waitt"'],
  [{ deferTimeoutMs: '1s' }, 'deferTimeoutMs is 1s'],
  [{ deferTimeoutMs: Number.NaN }, 'deferTimeoutMs is NaN'],
])('options that describe an impossible wait for a person are refused: %j', (options, message) => {
  expect(() => used({ mandate: PAY, ...options })).toThrow(message);
});

test('a call with a time limit that is no number does not wait for a person', async () => {
  const tool = vi.fn();
  const mandate = { toolPolicies: { pay: { requiresConfirmation: true } } };
  const options = { onDefer: 'wait', deferTimeoutMs: '1s' } as object;
  const error = await used({ mandate })
    .run('pay', {}, tool, options)
    .catch((thrown: unknown) => thrown);
  expect(findMandateError(error)?.code).toBe('APPROVAL_REQUIRED');
  expect(tool).not.toHaveBeenCalled();
});

test('toolOptions with a name that they do not have, or a check that is no function, are refused', () => {
  const mandate = new Mandate({ agentId: 'bot', mandate: PAY });
  const withOptions = (pay: object) => () =>
    mandate.createExecutor({ tools: { pay: () => 'paid' }, toolOptions: { pay } });
  expect(withOptions({ validate: () => ({}) })).toThrow('has no option "validate"');
  expect(withOptions({ verifyresult: () => true })).toThrow('has no option "verifyresult"');
  expect(withOptions({ verifyResult: true })).toThrow('verifyResult is no function');
});

test('a call that waits for a person reports its question once, so that the program can pass it on', async () => {
  const asked: string[] = [];
  const errors: unknown[] = [];
  const mandate: Mandate = new Mandate({
    agentId: 'bot',
    mandate: { toolPolicies: { pay: { requiresConfirmation: true } } },
    onDefer: 'wait',
    onDeferred(question) {
      asked.push(question.approvalId);
      void mandate.approve(question);
      throw new Error('of the program');
    },
    onError: (error) => errors.push(error),
  });
  expect(await mandate.createExecutor().run('pay', {}, () => 'paid')).toBe('paid');
  expect(asked).toEqual([expect.stringMatching(/^apv_/)]);
  expect(errors).toMatchObject([{ message: 'of the program' }]);
});

test('functions of the program that reject end no process', async () => {
  const rejects = () => Promise.reject(new Error('of the program'));
  const tools = used({ mandate: PAY, onError: rejects, charge: rejects });
  await expect(tools.run('pay', {}, () => 'paid')).rejects.toMatchObject({ code: 'INTERNAL_ERROR' });
  const plain = used({ mandate: PAY, onError: rejects });
  expect(await plain.run('pay', {}, () => 'paid', { actualCostMicros: rejects as never })).toBe('paid');
  const mandate = new Mandate({ agentId: 'bot', mandate: PAY });
  const tool = vi.fn();
  await expect(mandate.fn('pay', tool, { args: rejects as never })()).rejects.toThrow('no plain object');
  expect(tool).not.toHaveBeenCalled();
});

test('a listener that kills again is not called again for the same kill', async () => {
  const mandate = new Mandate({ agentId: 'bot', mandate: PAY });
  const heard: unknown[] = [];
  mandate.onKill((kill) => {
    heard.push(kill.agentId);
    void mandate.killAll('stop everything');
  });
  await mandate.kill('bot', 'runaway');
  expect(heard).toEqual(['bot', null]);
});
