import { expect, it } from 'vitest';
import { dollars, durationMs, jsonObject, momentBefore, someText, wholeNumber } from './option-values.ts';

const NOW_MS = Date.UTC(2026, 0, 31, 12);

it.each([
  ['0', 0],
  ['17', 17],
])('reads the whole number %s', (text, value) => {
  expect(wholeNumber({ min: 0, max: 100 })(text)).toBe(value);
});
it.each(['', 'x', '1.5', '-1', '+1', '1e1', '0x10', ' 1', '101', '9'.repeat(400)])(
  'refuses %j as a whole number up to 100',
  (text) => {
    expect(() => wholeNumber({ min: 0, max: 100 })(text)).toThrow('Give a whole number, 0 to 100.');
  },
);

it.each([
  ['1.50', 1_500_000],
  ['-0.25', -250_000],
  ['+$3', 3_000_000],
  ['0.000001', 1],
  ['0.1', 100_000],
])('reads %s dollars', (text, micros) => {
  expect(dollars(text)).toBe(micros);
});
it.each(['', '1.1234567', '1e3', 'NaN', '--1', '1,50', '99999999999999'])('refuses %j as dollars', (text) => {
  expect(() => dollars(text)).toThrow('Give dollars');
});

it.each([
  ['500', 500],
  ['500ms', 500],
  ['5s', 5_000],
  ['2h', 7_200_000],
])('reads the duration %s', (text, ms) => {
  expect(durationMs({ min: 0, max: 86_400_000 })(text)).toBe(ms);
});
it.each(['', 'x', '-5s', '1.5s', '5 s', '2d', '5w'])('refuses %j as a duration of at most a day', (text) => {
  expect(() => durationMs({ min: 0, max: 86_400_000 })(text)).toThrow(
    'Give milliseconds or a number with its unit',
  );
});

it.each([
  ['15m', '2026-01-31T11:45:00.000Z'],
  ['2h', '2026-01-31T10:00:00.000Z'],
  ['7d', '2026-01-24T12:00:00.000Z'],
  ['4w', '2026-01-03T12:00:00.000Z'],
  ['2026-01-01', '2026-01-01T00:00:00.000Z'],
  ['2026-01-01T10:00:00+02:00', '2026-01-01T08:00:00.000Z'],
])('reads the moment %s', (text, moment) => {
  expect(momentBefore(() => NOW_MS)(text)).toBe(moment);
});
it.each([
  [
    'yesterday',
    'It must be a time (2026-01-31T12:00:00Z), a day (2026-01-31) or how long ago (15m, 2h, 7d, 4w).',
  ],
  ['2026-02-30', 'It has no day 30: the last day of 2026-02 is 28.'],
  ['2026-01-01T24:00:00Z', 'It has no hour 24'],
  ['2026-01-01T10:00:00', 'It must have an offset'],
])('refuses %j as a moment', (text, said) => {
  expect(() => momentBefore(() => NOW_MS)(text)).toThrow(said);
});

it('accepts only objects as arguments', () => {
  expect(jsonObject('{"a":[1]}')).toEqual({ a: [1] });
  for (const text of ['[1]', '1', 'null', '{', ''])
    expect(() => jsonObject(text)).toThrow('Give a JSON object');
  expect(() => jsonObject('{"id":9007199254740993}')).toThrow('would be rounded');
  expect(() => jsonObject('{"a":1,"a":2}')).toThrow('twice');
});

it('refuses a text of spaces', () => {
  expect(someText('a b')).toBe('a b');
  expect(() => someText(' \t')).toThrow('not empty');
});
