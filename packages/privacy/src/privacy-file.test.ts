import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { silentLogger } from '@mandate/runtime';
import { temporaryFolder } from '@mandate/testing';
import { expect, onTestFinished, test } from 'vitest';
import { openPrivacyFile } from './privacy-file.ts';

const GOOD = 'version: 1\nretention: { acme: { keepMonths: 3 }, "*": { keepMonths: 9 } }\n';

function opened(text: string | Uint8Array | null, isNamed = false) {
  const path = join(temporaryFolder(), 'privacy.yaml');
  if (text !== null) writeFileSync(path, text);
  const named = isNamed ? { PRIVACY_PATH: path } : {};
  const file = openPrivacyFile(named, { folder: { privacy: path }, log: silentLogger() });
  onTestFinished(() => file.stop());
  const lookTwice = () => {
    file.look();
    file.look();
  };
  return { path, file, lookTwice };
}

test('keeps everything without a file, and applies a file that is written later', () => {
  const { path, file, lookTwice } = opened(null);
  expect(file.keepMonths('acme')).toBeNull();
  writeFileSync(path, GOOD);
  lookTwice();
  expect(['acme', 'other'].map(file.keepMonths)).toEqual([3, 9]);
});

test('treats a tenant with the name of an object property like any other tenant', () => {
  const { file } = opened(GOOD);
  expect(file.keepMonths('constructor')).toBe(9);
});

test('keeps records of the context builder for 30 days, unless the document says otherwise', () => {
  const { path, file, lookTwice } = opened(null);
  expect(file.keepContextDays('acme')).toBe(30);
  writeFileSync(path, 'version: 1\ncontextRetention: { acme: { keepDays: 7 }, "*": { keepDays: 90 } }\n');
  lookTwice();
  expect(['acme', 'other', 'constructor'].map(file.keepContextDays)).toEqual([7, 90, 90]);
});

test('keeps and reports the last good document after a bad edit, or if the file disappears', () => {
  const { path, file, lookTwice } = opened(GOOD);
  expect(file.readiness()).toEqual({ name: 'privacy', ok: true });
  const shown = { name: 'privacy', ok: true, stale: true, detail: expect.stringContaining('last good one') };
  writeFileSync(path, 'version: 1\nretention: { acme: { keepMonths: 0 } }\n');
  lookTwice();
  expect(file.readiness()).toEqual(shown);
  rmSync(path);
  lookTwice();
  expect(file.readiness()).toEqual(shown);
  expect(file.keepMonths('acme')).toBe(3);
});

test('rejects a document that is not UTF-8, and names the place of the fault', () => {
  const bytes = Buffer.from('version: 1\nfields: [{ path: args.straße, do: redact }]\n', 'latin1');
  expect(() => opened(bytes)).toThrow(/privacy\.yaml:2:27 the file is not UTF-8 at byte 37 \(0xDF\)/);
});

test('names the missing setting if a rule hashes without a key', () => {
  const text = 'version: 1\npatterns:\n  - { pattern: email, do: hash }\n';
  const path = join(temporaryFolder(), 'privacy.yaml');
  writeFileSync(path, text);
  const openedWith = (key: string | undefined) => {
    const hashing = { key, setting: 'MANDATE_GATEWAY_HASH_KEY' };
    openPrivacyFile({}, { folder: { privacy: path }, log: silentLogger(), hashing }).stop();
  };
  const missing = /privacy\.yaml:3:23 patterns\.0\.do: hash needs a key: set MANDATE_GATEWAY_HASH_KEY/;
  for (const key of [undefined, '']) expect(() => openedWith(key)).toThrow(missing);
  openedWith('a key');
  expect(opened(text).file.privacy().patterns).toHaveLength(1);
});

test('accepts countries only for phones, and only known countries', () => {
  const of = (rule: string) => opened(`version: 1\npatterns:\n  - { do: redact, ${rule} }\n`).file.privacy();
  expect(of('pattern: phone, countries: [DE, NO]').patterns).toMatchObject([{ countries: ['DE', 'NO'] }]);
  const faults = [
    [
      'pattern: phone, countries: [DE, XX]',
      /yaml:3:\d+ patterns\.0\.countries\.1: no numbering plan of XX is known/,
    ],
    ['pattern: phone, countries: [de]', /patterns\.0\.countries\.0: must be the two letters of a country/],
    ['pattern: phone, countries: []', /patterns\.0\.countries/],
    ['pattern: phone, countries: [DE, US, FR, GB, IT, ES]', /patterns\.0\.countries/],
    ['pattern: email, countries: [DE]', /patterns\.0\.countries: only the pattern phone has countries/],
  ] as const;
  for (const [rule, message] of faults) expect(() => of(rule)).toThrow(message);
});

test.each([
  [
    'that is bad',
    'version: 1\nfields: [{ path: tool, do: redact }]\n',
    false,
    /privacy\.yaml:2:12 fields\.0\.path/,
  ],
  ['that was named and is not there', null, true, /cannot be read/],
])('fails at the start for a file %s', (_, text, isNamed, message) => {
  expect(() => opened(text, isNamed)).toThrow(
    expect.objectContaining({ code: 'PRIVACY_INVALID', message: expect.stringMatching(message) }),
  );
});
