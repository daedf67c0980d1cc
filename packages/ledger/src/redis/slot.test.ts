import { expect, test } from 'vitest';
import { slotOf } from './slot.ts';

/** The results of the command CLUSTER KEYSLOT in Redis 7.0.15. */
test.each([
  ['123456789', 12739],
  ['mandate:{default}:meta', 5718],
  ['mandate:{_registry}:registry', 7033],
  ['{日本}:x', 10949],
])('puts %s into slot %i', (key, slot) => {
  expect(slotOf(key)).toBe(slot);
});

test('puts all keys of a tenant into one slot', () => {
  expect(slotOf('mandate:{acme}:meta')).toBe(slotOf('mandate:{acme}:5:spent'));
});
