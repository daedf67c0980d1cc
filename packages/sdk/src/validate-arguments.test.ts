import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { Mandate } from './index.ts';
import type { RunOptions, Validate } from './types.ts';

function scene() {
  const schema = { type: 'object', properties: { n: { type: 'integer', maximum: 10 } }, required: ['n'] };
  const mandate = new Mandate({
    agentId: 'bot',
    mandate: { toolPolicies: { count: { argumentValidation: { schema } } } },
  });
  const tools = mandate.createExecutor();
  const run = (args: unknown, validate: Validate) =>
    tools.run('count', args as object, (given) => given, { validate } as RunOptions<object>);
  return { mandate, run };
}

describe('a validator', () => {
  test('changes the arguments that are decided and run', async () => {
    const { run } = scene();
    const half = (args: unknown) => ({ n: (args as { n: number }).n / 2 });
    expect(await run({ n: 20 }, half)).toEqual({ n: 10 });
    await expect(run({ n: 22 }, half)).rejects.toMatchObject({
      code: 'ARGUMENT_VALIDATION_FAILED',
      decision: { action: { args: { n: 11 } } },
    });
  });

  test('may be a Standard Schema, with defaults and coercion', async () => {
    const { run } = scene();
    const schema = z.object({ n: z.coerce.number().default(7) });
    expect(await run({ n: '3' }, schema)).toEqual({ n: 3 });
    expect(await run(undefined, schema)).toEqual({ n: 7 });
    await expect(run({ n: 'three' }, schema)).rejects.toMatchObject({
      code: 'ARGUMENT_VALIDATION_FAILED',
      reason: expect.stringMatching(/^The arguments of "count" were refused: n: /),
    });
  });

  test('gets a copy, so it cannot change the arguments of the caller', async () => {
    const { run } = scene();
    const args = { n: 1 };
    await run(args, (given) => Object.assign(given as object, { n: 2 }));
    expect(args).toEqual({ n: 1 });
  });

  test.each<[string, Validate]>([
    [
      'throws',
      () => {
        throw new Error('no');
      },
    ],
    ['rejects', () => Promise.reject(new Error('no'))],
    ['returns nothing', () => undefined],
    ['returns a list', () => [1]],
  ])('that %s refuses the call, and nothing is decided', async (_what, validate) => {
    const { run, mandate } = scene();
    await expect(run({ n: 1 }, validate)).rejects.toMatchObject({
      name: 'MandateBlockedError',
      code: 'ARGUMENT_VALIDATION_FAILED',
      decision: null,
    });
    expect(await mandate.getCallCount()).toBe(0);
  });
});
