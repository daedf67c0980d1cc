import type { Action, Json } from '@mandate/schemas';
import { expect, test } from 'vitest';
import { compileActionRedaction } from './redact-action.ts';

const call = (args: Record<string, Json>, context?: Record<string, Json>): Action => ({
  id: 'a',
  agentId: 'x',
  type: 'tool_call',
  tool: 'password',
  args,
  ...(context !== undefined && { context }),
});

test('redacts arguments and context, but none of the fields that Mandate itself reads', () => {
  const redact = compileActionRedaction();
  expect(redact(call({ password: 'p' }, { token: 't' }))).toEqual(
    call({ password: '[redacted]' }, { token: '[redacted]' }),
  );
});

test('redacts the usual names of secrets by default, or only the given names, even if the list is empty', () => {
  const shown = (redact?: readonly string[]) => compileActionRedaction({ redact })(call({ pin: 1, own: 2 }));
  expect(shown()).toEqual(call({ pin: '[redacted]', own: 2 }));
  expect(shown(['own'])).toEqual(call({ pin: 1, own: '[redacted]' }));
  expect(shown([])).toEqual(call({ pin: 1, own: 2 }));
});

test('requires a key if there are fields to hash, even if only the usual names are redacted', () => {
  expect(() => compileActionRedaction({ hash: ['own'] })).toThrow(TypeError);
  const hashed = compileActionRedaction({ hash: ['own'], hashKey: 'k' })(call({ own: 1, pin: 2 }));
  expect(hashed).toMatchObject({ args: { own: expect.stringMatching(/^hmac-sha256:/), pin: '[redacted]' } });
});
