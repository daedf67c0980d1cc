import { describe, expect, expectTypeOf, test } from 'vitest';
import { Mandate } from './index.ts';
import type { MandateDocument } from './types.ts';

function scene(document: MandateDocument = { toolPolicies: { send: { cost: 1, maxActualCost: 50 } } }) {
  return new Mandate({ agentId: 'bot', mandate: document });
}

function send(to: string, subject: string): { sent: string; micros: number } {
  return { sent: `${subject} to ${to}`, micros: 2_000_000 };
}

describe('a wrapped function', () => {
  test('has the parameters of the function, and is charged what it cost', async () => {
    const mandate = scene();
    const wrapped = mandate.fn('send', send, { args: ['to', 'subject'], cost: ({ micros }) => micros });
    expectTypeOf(wrapped).toEqualTypeOf<(to: string, subject: string) => Promise<ReturnType<typeof send>>>();
    expect(await wrapped('ann', 'hi')).toMatchObject({ sent: 'hi to ann' });
    expect((await mandate.getCost()).totalMicros).toBe(2_000_000);
    expect([wrapped.name, wrapped.length]).toEqual(['send', 2]);
  });

  test.each<[string, (mandate: Mandate) => (to: string, subject: string) => Promise<unknown>, object]>([
    [
      'names',
      (mandate) => mandate.fn('send', send, { args: ['to', 'subject'] }),
      { to: 'eve', subject: 'hi' },
    ],
    [
      'a function',
      (mandate) => mandate.fn('send', send, { args: (to, subject) => ({ to, subject }) }),
      { to: 'eve', subject: 'hi' },
    ],
    ['nothing', (mandate) => mandate.fn('send', send), { args: ['eve', 'hi'] }],
  ])('is decided with its arguments, stated by %s', async (_what, wrap, args) => {
    const refused = await wrap(scene({ deniedTools: ['send'] }))('eve', 'hi').catch((error) => error);
    expect(refused).toMatchObject({ code: 'TOOL_DENIED', decision: { action: { args } } });
  });

  test('with one object as its parameter is decided with the fields of the object as arguments', async () => {
    const read = scene().fn('read', async ({ path }: { path: string }) => path);
    expect(await read({ path: '/tmp/a' })).toBe('/tmp/a');
    const denied = scene({ deniedTools: ['read'] }).fn('read', ({ path }: { path: string }) => path);
    await expect(denied({ path: '/tmp/a' })).rejects.toMatchObject({
      decision: { action: { args: { path: '/tmp/a' } } },
    });
  });

  test('gets the arguments that a validator changed', async () => {
    const validate = (args: unknown) => ({ ...(args as object), to: 'ann' });
    const wrapped = scene().fn('send', send, { args: ['to', 'subject'], validate });
    expect(await wrapped('eve', 'hi')).toMatchObject({ sent: 'hi to ann' });
    const args = (to: string, subject: string) => ({ to, subject });
    expect(() => scene().fn('send', send, { args, validate })).toThrow('has both a validator');
  });

  test('may be made before its instance is configured', async () => {
    const mandate = new Mandate();
    const wrapped = mandate.fn('send', send);
    mandate.configure({ agentId: 'bot', mandate: {} });
    expect(await wrapped('ann', 'hi')).toMatchObject({ sent: 'hi to ann' });
  });
});

test('functions by name keep their shape, and each is decided under its name', async () => {
  const { read, write } = scene({ allowedTools: ['read'] }).tools({
    read: (path: string) => path.length,
    write: async (_path: string) => null,
  });
  expectTypeOf(read).toEqualTypeOf<(path: string) => Promise<number>>();
  expect(await read('/tmp')).toBe(4);
  await expect(write('/tmp')).rejects.toMatchObject({ code: 'TOOL_NOT_ALLOWED', action: { tool: 'write' } });
});
