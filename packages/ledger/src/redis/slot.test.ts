import { expect, test } from 'vitest';
import { slotOf } from './slot.ts';

/** As CLUSTER KEYSLOT of Redis 7.0.15 has them. */
test.each([
  ['123456789', 12739],
  ['mandate:{default}:meta', 5718],
  ['mandate:{_registry}:registry', 7033],
  ['{日本}:x', 10949],
])('%s lies in slot %i', (key, slot) => {
  expect(slotOf(key)).toBe(slot);
});

test('all keys of a tenant lie in one', () => {
  expect(slotOf('mandate:{acme}:meta')).toBe(slotOf('mandate:{acme}:5:spent'));
});
