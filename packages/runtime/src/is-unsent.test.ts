import { expect, test } from 'vitest';
import { isUnsent } from './is-unsent.ts';

test.each([
  [{ cause: { code: 'ECONNREFUSED' } }, true],
  [{ code: 'ENOTFOUND' }, true],
  [{ cause: { code: 'ECONNRESET' } }, false],
  [{ code: 'ETIMEDOUT' }, false],
  [new Error('fetch failed'), false],
  [null, false],
])('the error %j says that nothing was sent: %j', (error, isCertain) => {
  expect(isUnsent(error)).toBe(isCertain);
});
