import { expect, test } from 'vitest';
import { sideSchema } from './side-schema.ts';

const NAMES = { message: { type: 'string' }, order: { type: 'object', additionalProperties: false } };
const WHOLE = { message: 'hi', order: {} };

test.each([
  ['inputs', { ...WHOLE, extra: 1 }, '/extra is not a known input'],
  ['all', { ...WHOLE, extra: 1 }, '/extra is not a known field'],
  ['inputs', { ...WHOLE, order: { extra: 1 } }, '/order/extra is not a known field'],
  ['inputs', { order: {} }, '/message is missing'],
  ['inputs', { ...WHOLE, message: null }, '/message must be a string, and is null'],
  ['inputs', WHOLE, null],
] as const)('says what is wrong with %s, %j: %s', (required, value, fault) => {
  expect(sideSchema(NAMES, required).faultOf(value)).toBe(fault);
});

test('says what a name must be', () => {
  const schema = { type: 'object', propertyNames: { maxLength: 2 } };
  expect(sideSchema(schema, 'inputs').faultOf({ long: 1 })).toMatch(
    /^the name of \/long must be (?!no field)/,
  );
});
