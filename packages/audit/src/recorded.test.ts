import fc from 'fast-check';
import { expect, test } from 'vitest';
import { certainlyFits, storableTime, uint32 } from './recorded.ts';

const year = fc.integer({ min: 1970, max: 9999 });
const time = fc
  .tuple(fc.oneof(fc.integer({ min: 2255, max: 2265 }), year), fc.integer({ min: 0, max: 31_535_999_999 }))
  .map(([inYear, ms]) => new Date(Date.UTC(inYear, 0, 1) + ms).toISOString());
const written = fc.oneof(
  time,
  time.map((utc) => utc.replace('Z', '+00:00')),
  time.map((utc) => utc.replace(/\.\d+Z/, 'Z')),
);

test('what certainly fits is what the columns take, unchanged', () => {
  let fitting = 0;
  fc.assert(
    fc.property(written, fc.integer({ min: 0, max: 2 ** 33 }), (at, count) => {
      if (!certainlyFits({ times: [at], counts: [count], amounts: [] })) return;
      fitting += 1;
      expect(storableTime.parse(at)).toBe(at);
      expect(uint32.parse(count)).toBe(count);
    }),
    { numRuns: 2_000 },
  );
  expect(fitting).toBeGreaterThan(50);
});
