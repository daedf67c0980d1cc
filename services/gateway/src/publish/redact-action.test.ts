import { MandateError } from '@mandate/runtime';
import type { Action } from '@mandate/schemas';
import { HttpProblem } from '@mandate/server';
import { expect, test } from 'vitest';
import type { Gateway } from '../gateway.ts';
import { redactAction } from './redact-action.ts';

const original: Action = {
  id: 'a',
  agentId: 'b',
  type: 'tool_call',
  tool: 't',
  args: { to: 'ann@example.com' },
};

function redacting(redact: Gateway['redact']) {
  const fingerprint: Gateway['fingerprint'] = (...given) => JSON.stringify(given);
  return () => redactAction({ redact, fingerprint } as Gateway, original, 'acme');
}

test('returns the action redacted for its tenant, and the fingerprint of the removed values', () => {
  const hidden: Action = { ...original, args: { to: '[redacted:email] for acme' } };
  const redacted = redacting((action, tenant) => ({
    ...action,
    args: { to: `[redacted:email] for ${tenant}` },
  }));
  expect(redacted()).toEqual({ action: hidden, fingerprint: JSON.stringify([original, hidden, 'acme']) });
});

test('tells the caller that the person of the action was forgotten, but hides any other error of redaction', () => {
  const failing = (code: string) => () => {
    throw new MandateError(code, 'gone', { remedy: 'Let them be.' });
  };
  const gone = expect.objectContaining({
    status: 410,
    code: 'PERSON_ERASED',
    remedy: 'Nothing was published. Let them be.',
  });
  expect(redacting(failing('PERSON_ERASED'))).toThrow(HttpProblem);
  expect(redacting(failing('PERSON_ERASED'))).toThrow(gone);
  expect(redacting(failing('PERSON_KEYS_NOT_READY'))).toThrow(MandateError);
});
