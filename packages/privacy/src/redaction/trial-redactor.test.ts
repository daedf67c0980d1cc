import { privacyDocument } from '@mandate/schemas';
import { expect, test } from 'vitest';
import { trialRedactor } from './trial-redactor.ts';

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

test('redacts what a plane redacts, in the same forms', () => {
  const redactAction = trialRedactor({ hash: ['own'], document });
  const redacted = redactAction(action, 'acme');
  expect(redacted).toEqual({
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
  expect(redactAction(action, 'acme')).toEqual(redacted);
  expect(redactAction(redacted, 'acme')).toEqual(redacted);
});

test('redacts the given names instead of the usual names of secrets, and redacts nothing if the list is empty', () => {
  const none = privacyDocument.parse({ version: 1 });
  const shown = (redact: string[]) => trialRedactor({ redact, hash: [], document: none })(action, 'acme');
  expect(shown(['own'])).toMatchObject({ args: { own: '[redacted]', password: 'p' } });
  expect(shown([])).toEqual(action);
});

test('makes other hashes and tokens in each trial', () => {
  const [one, two] = [1, 2].map(() => trialRedactor({ hash: [], document })(action, 'acme'));
  expect(one?.principal).not.toEqual(two?.principal);
  expect(one?.context).not.toEqual(two?.context);
});
