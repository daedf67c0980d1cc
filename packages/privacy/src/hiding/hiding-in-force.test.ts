import { type Action, type PrivacyDocument, privacyDocument } from '@mandate/schemas';
import { expect, test } from 'vitest';
import { hidingInForce } from './hiding-in-force.ts';

const documentOf = (written: object): PrivacyDocument => privacyDocument.parse({ version: 1, ...written });
const action: Action = {
  id: 'a',
  agentId: 'b',
  type: 'tool_call',
  tool: 't',
  args: { pin: 1, to: 'x', cc: 'y' },
};
const redactPin = (given: Action): Action =>
  given.type === 'tool_call' ? { ...given, args: { ...given.args, pin: '[redacted]' } } : given;

test('an edit holds from the next action on; names of secrets are hidden whatever the document says', () => {
  let document = documentOf({});
  const hide = hidingInForce({ privacy: () => document }, { redact: redactPin, hashKey: 'k', sealer: null });
  expect(hide(action, 'acme')).toMatchObject({ args: { pin: '[redacted]', to: 'x', cc: 'y' } });
  document = documentOf({ fields: [{ path: 'args.to', do: 'redact' }] });
  expect(hide(action, 'acme')).toMatchObject({ args: { pin: '[redacted]', to: '[redacted]', cc: 'y' } });
  document = documentOf({ fields: [{ path: 'args.pin', do: 'hash' }] });
  expect(hide(action, 'acme')).toMatchObject({ args: { pin: '[redacted]', to: 'x', cc: 'y' } });
});
