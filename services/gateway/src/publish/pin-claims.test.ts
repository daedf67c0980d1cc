import { expect, test } from 'vitest';
import { pinClaims } from './pin-claims.ts';

const key = {
  id: 'abcdefghijkl',
  pins: {
    context: { environment: 'prod', limits: { calls: 5 } },
    principal: { id: 'ann', role: 'user' },
  },
};
const PINNED = {
  pinned: ['context.environment', 'context.limits', 'action.principal'],
  pinnedBy: 'abcdefghijkl',
};

test('leaves an action unchanged if the key pins no fields', () => {
  expect(pinClaims({ id: 'abcdefghijkl' }, { context: { environment: 'dev' } })).toBe(null);
});

test('fills in a pinned field that the action leaves out; all other fields stay claims', () => {
  expect(pinClaims(key, {})).toEqual({ claims: key.pins, pinned: PINNED });
  const said = { context: { environment: 'prod', channel: 'mail' }, principal: { id: 'ann' } };
  expect(pinClaims(key, said)).toEqual({
    claims: { context: { ...key.pins.context, channel: 'mail' }, principal: key.pins.principal },
    pinned: PINNED,
  });
});

test.each<[string, Parameters<typeof pinClaims>[1], string]>([
  ['another value', { context: { environment: 'dev' } }, 'context.environment'],
  ['no value', { context: { environment: null } }, 'context.environment'],
  ['another value deep within', { context: { limits: { calls: 6 } } }, 'context.limits'],
  ['another principal', { principal: { id: 'bob' } }, 'principal.id'],
  ['another role', { principal: { id: 'ann', role: 'admin' } }, 'principal.role'],
])('refuses an action with %s', (_what, said, field) => {
  expect(caught(() => pinClaims(key, said))).toMatchObject({
    status: 403,
    code: 'PINNED_BY_KEY',
    message: `this API key fixes ${field}, and the action has another value`,
  });
});

test('a key that pins a principal without a role refuses a claimed role', () => {
  const roleless = { id: 'abcdefghijkl', pins: { principal: { id: 'ann' } } };
  expect(caught(() => pinClaims(roleless, { principal: { id: 'ann', role: 'admin' } }))).toMatchObject({
    code: 'PINNED_BY_KEY',
  });
  expect(pinClaims(roleless, { principal: { id: 'ann' } })?.claims).toEqual({ principal: { id: 'ann' } });
});

function caught(act: () => unknown): unknown {
  try {
    return act();
  } catch (error) {
    return error;
  }
}
