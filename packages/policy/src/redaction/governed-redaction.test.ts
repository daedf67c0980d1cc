import type { Action } from '@mandate/schemas';
import { expect, test } from 'vitest';
import { governedRedaction } from './governed-redaction.ts';

const ACTION = {
  id: 'a-1',
  type: 'tool_call',
  agentId: 'tutor',
  tool: 'greet',
  principal: { id: 'mia', role: 'user' },
  args: { user_id: 'mia' },
} as Action;

const HASH = /^hmac-sha256:[0-9a-f]{32}$/;

function published(redact: string[], hash: string[], hashKey?: string): unknown[] {
  const action = governedRedaction({ hash: [], hashKey }, () => ({ redact, hash }))(ACTION, 'default');
  return [action.principal?.id, Object(action).args.user_id];
}

test('hides the person if the policy hashes user_id, even if it also redacts the field', () => {
  expect(published([], ['user_id'], 'key')).toEqual([
    expect.stringMatching(HASH),
    expect.stringMatching(HASH),
  ]);
  expect(published(['user_id'], ['user_id'], 'key')).toEqual([expect.stringMatching(HASH), '[redacted]']);
});

test('redacts fields that cannot be hashed without a key, and keeps the person, who is needed for the decision', () => {
  expect(published([], ['user_id'])).toEqual(['mia', '[redacted]']);
});

test('hashes a person once', () => {
  const redaction = governedRedaction({ hash: [], hashKey: 'key' }, () => ({ redact: [], hash: ['userId'] }));
  const once = redaction(ACTION, 'default');
  expect(redaction(once, 'default')).toEqual(once);
});
