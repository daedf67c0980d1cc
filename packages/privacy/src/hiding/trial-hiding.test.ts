import { privacyDocument } from '@mandate/schemas';
import { expect, test } from 'vitest';
import { trialHiding } from './trial-hiding.ts';

const document = privacyDocument.parse({
  version: 1,
  fields: [
    { path: 'args.customer', do: 'seal', person: 'args.id' },
    { path: 'context.street', do: 'hash' },
    { path: 'principal.id', do: 'seal' },
  ],
  patterns: [{ pattern: 'email', do: 'redact' }],
});

const action = {
  ...{ id: 'a', agentId: 'bot', type: 'tool_call' as const, tool: 'send' },
  args: { id: 7, customer: 'Ann', note: 'to ann@example.com', password: 'p', own: 1, kept: 'k' },
  context: { street: 'Nowhere Lane', site: 's' },
  principal: { id: 'ann', role: 'user' },
};

test('hides what a plane hides, in the same forms', () => {
  const hide = trialHiding({ hash: ['own'], document });
  const hidden = hide(action, 'acme');
  expect(hidden).toEqual({
    ...action,
    args: {
      ...{ id: 7, kept: 'k' },
      customer: expect.stringMatching(/^sealed:v1:[0-9a-f]{16}:[0-9a-f]{16}:[\w-]{38,}\.$/),
      note: 'to [redacted:email]',
      password: '[redacted]',
      own: expect.stringMatching(/^hmac-sha256:[0-9a-f]{32}$/),
    },
    context: { street: expect.stringMatching(/^hmac-sha256:[0-9a-f]{32}$/), site: 's' },
    principal: { id: expect.stringMatching(/^person:[0-9a-f]{32}$/), role: 'user' },
  });
  expect(hide(action, 'acme')).toEqual(hidden);
  expect(hide(hidden, 'acme')).toEqual(hidden);
});

test('names to redact take the place of the usual ones, and none leaves everything', () => {
  const none = privacyDocument.parse({ version: 1 });
  const shown = (redact: string[]) => trialHiding({ redact, hash: [], document: none })(action, 'acme');
  expect(shown(['own'])).toMatchObject({ args: { own: '[redacted]', password: 'p' } });
  expect(shown([])).toEqual(action);
});

test('no two trials hash or seal alike', () => {
  const [one, two] = [1, 2].map(() => trialHiding({ hash: [], document })(action, 'acme'));
  expect(one?.principal).not.toEqual(two?.principal);
  expect(one?.context).not.toEqual(two?.context);
});
