import { expect, test, vi } from 'vitest';
import { givenPeriodInWords, periodOf } from './period.ts';

const NOW_MS = Date.parse('2026-11-29T12:00:00Z');

test.each([
  ['7d', undefined, '2026-11-22T12:00:00.000Z', '2026-11-29T12:00:00.000Z'],
  ['90m', undefined, '2026-11-29T10:30:00.000Z', '2026-11-29T12:00:00.000Z'],
  ['2w', '2026-11-28', '2026-11-15T12:00:00.000Z', '2026-11-28T00:00:00.000Z'],
  ['2026-11-01T06:00:00Z', undefined, '2026-11-01T06:00:00.000Z', '2026-11-29T12:00:00.000Z'],
])('reads the period from %s to %s', (from, to, begins, ends) => {
  const period = periodOf(from, to, NOW_MS);
  expect(period && [new Date(period.fromMs).toISOString(), new Date(period.toMs).toISOString()]).toEqual([
    begins,
    ends,
  ]);
});

test('returns null if a time cannot be read', () => {
  expect([periodOf('soon', undefined, NOW_MS), periodOf('7d', 'soon', NOW_MS)]).toEqual([null, null]);
});

test.each([
  ['2026-11-29T06:39:39.100Z', undefined, 'since 29 Nov, 06:39:39'],
  ['2026-11-29T06:39:39Z', '2026-11-29T06:41:02Z', '29 Nov, 06:39:39 to 06:41:02'],
  ['2025-11-28T06:39:39Z', '2026-11-29T06:41:02Z', '28 Nov 2025, 06:39:39 to 29 Nov, 06:41:02'],
  ['2h', undefined, 'since 2 h ago'],
  [undefined, '2026-11-29T06:41:02Z', 'until 29 Nov, 06:41:02'],
])('describes the period from %s to %s in words', (from, to, words) => {
  vi.stubGlobal('localStorage', { getItem: () => 'UTC' });
  expect(givenPeriodInWords(from, to, NOW_MS)).toBe(words);
});
