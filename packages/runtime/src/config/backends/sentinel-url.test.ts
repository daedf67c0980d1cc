import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isSentinelUrl, readSentinelUrl } from './sentinel-url.ts';

test('reads the sentinels, the primary, the database and the user', () => {
  expect(readSentinelUrl('redis+sentinel://a:1,b,[::1]:3/main')).toEqual({
    tls: false,
    sentinels: [
      { host: 'a', port: 1 },
      { host: 'b', port: 26379 },
      { host: '::1', port: 3 },
    ],
    name: 'main',
    db: 0,
  });
  expect(readSentinelUrl('rediss+sentinel://me:p%40ss@a/main/7')).toEqual({
    tls: true,
    sentinels: [{ host: 'a', port: 26379 }],
    name: 'main',
    db: 7,
    username: 'me',
    password: 'p@ss',
  });
  expect(readSentinelUrl('redis+sentinel://:hush@a/main')).not.toHaveProperty('username');
});

test.each([
  ['no primary', 'redis+sentinel://a:1,b:2'],
  ['an empty one', 'redis+sentinel://a:1/'],
  ['no sentinel', 'redis+sentinel:///main'],
  ['a sentinel that is none', 'redis+sentinel://a:1,,b:2/main'],
  ['a port that is none', 'redis+sentinel://a:65536/main'],
  ['a port of none', 'redis+sentinel://a:0/main'],
  ['a database that is none', 'redis+sentinel://a/main/x'],
  ['more than a database', 'redis+sentinel://a/main/1/2'],
  ['a user without a password', 'redis+sentinel://me@a/main'],
  ['half a percent', 'redis+sentinel://:%@a/main'],
  ['options', 'redis+sentinel://a/main?db=1'],
  ['one server', 'redis://a/1'],
])('returns null if the URL has %s', (_, url) => {
  expect(readSentinelUrl(url)).toBe(null);
});

test('recognizes the form by the beginning of the URL', () => {
  expect(
    ['redis+sentinel://', 'rediss+sentinel://x', 'redis://a', 'x+sentinel://'].map(isSentinelUrl),
  ).toEqual([true, true, false, false]);
});

test('reads back every URL of this form unchanged', () => {
  const text = fc.string({ minLength: 1, maxLength: 12, unit: 'grapheme' });
  const port = fc.integer({ min: 1, max: 65_535 });
  const sentinels = fc.array(fc.record({ host: fc.domain(), port }), { minLength: 1, maxLength: 5 });
  fc.assert(
    fc.property(text, text, text, sentinels, fc.nat(15), (username, password, name, named, db) => {
      const who = `${encodeURIComponent(username)}:${encodeURIComponent(password)}`;
      const hosts = named.map(({ host, port }) => `${host}:${port}`).join(',');
      const url = `redis+sentinel://${who}@${hosts}/${encodeURIComponent(name)}/${db}`;
      expect(readSentinelUrl(url)).toEqual({ tls: false, sentinels: named, name, db, username, password });
    }),
    { numRuns: 30 },
  );
});
