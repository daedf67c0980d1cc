import { expect, test } from 'vitest';
import { UnknownForm } from '../carry-out.ts';
import { redactedText } from './redact.ts';

test('replaces characters, and a character outside the basic plane counts as one', () => {
  const redactions = [
    { type: 'email', start: 2, end: 5 },
    { type: 'phone', start: 5, end: 6 },
  ];
  expect(redactedText('𠮷 a@b1 𠮷', { redactions })).toBe('𠮷 [redacted:email][redacted:phone] 𠮷');
});

test.each([
  ['no list', true],
  [
    'two that overlap',
    [
      { type: 'a', start: 0, end: 2 },
      { type: 'a', start: 1, end: 3 },
    ],
  ],
  ['one behind the end', [{ type: 'a', start: 0, end: 4 }]],
  ['one that ends before its start', [{ type: 'a', start: 2, end: 1 }]],
  ['a fraction', [{ type: 'a', start: 0.5, end: 1 }]],
  ['one with another field', [{ type: 'a', start: 0, end: 1, with: '*' }]],
  ['one without a type', [{ start: 0, end: 1 }]],
])('refuses redactions that cannot be carried out: %s', (_what, redactions) => {
  expect(() => redactedText('abc', { redactions })).toThrow(UnknownForm);
});
