import { expect, test } from 'vitest';
import { lookAlikes } from './look-alikes.ts';

test.each([
  ['Cyrillic letters', 'wipe', 'wi\u0440e'],
  ['Greek letters', 'tool', 't\u03bf\u03bfl'],
  ['Armenian letters', 'u', '\u057d'],
  ['capital letters', 'wipe', 'Wipe'],
  ['full-width letters', 'wipe', 'ｗｉｐｅ'],
  ['mathematical letters', 'wipe', '𝐰𝐢𝐩𝐞'],
  ['capital letters of another script', 'WIPE', 'WI\u0420E'],
  ['capitals of one script and small letters of another', 'Pay', '\u0440\u0430y'],
  ['l and 1', 'del', 'de1'],
  ['l and I', 'del', 'deI'],
  ['rn and m', 'modern', 'modem'],
  ['O and 0', 'vO', 'v0'],
  ['a hyphen and a dash', 'send-mail', 'send\u2010mail'],
])('%s look alike: %s, %s', (_what, one, other) => {
  expect(lookAlikes([one, 'another', other])).toEqual([[one, other]]);
});

test.each([
  ['read', 'write'],
  ['send_mail', 'send-mail'],
  ['tool1', 'tool2'],
  ['café', 'cafe'],
])('%s and %s do not look alike', (one, other) => {
  expect(lookAlikes([one, other])).toEqual([]);
});

test('counts a repeated name once, and reports each group once', () => {
  expect(lookAlikes(['a', 'a'])).toEqual([]);
  expect(lookAlikes(['wipe', 'WIPE', 'wi\u0440e'])).toEqual([['wipe', 'WIPE', 'wi\u0440e']]);
});
