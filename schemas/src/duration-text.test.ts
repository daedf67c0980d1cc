import { expect, test } from 'vitest';
import { readDuration } from './duration-text.ts';

test.each([
  ['1ms', 1],
  ['90s', 90_000],
  ['90m', 5_400_000],
  ['24h', 86_400_000],
  ['7d', 604_800_000],
  ['2w', 1_209_600_000],
])('reads %s', (text, ms) => {
  expect(readDuration(text)).toEqual({ ok: true, ms });
});

test.each([
  '',
  '60',
  '0h',
  '01h',
  '1H',
  '1.5h',
  '-1h',
  '1h30m',
  '1 h',
  ' 1h',
  '1h\n',
  'PT1H',
  '12345678901s',
  60,
  null,
])('refuses %j, and says how a duration is written', (value) => {
  const read = readDuration(value);
  expect(read.ok ? '' : read.message).toContain('as in "90m", "24h" or "7d"');
});

test('refuses a duration above the maximum, and accepts the maximum itself', () => {
  expect(readDuration('32d', '31d')).toEqual({ ok: false, message: 'must be at most 31d' });
  expect(readDuration('744h', '31d')).toMatchObject({ ok: true });
});
