import { expect, test } from 'vitest';
import { periodOf } from './period.ts';

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
