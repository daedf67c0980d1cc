import { PRIVACY_PATTERNS, type PrivacyPattern } from '@mandate/schemas';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { findPieces } from './find-pieces.ts';
import { nationalPhoneFinder } from './national-phone.ts';

/**
 * In these examples the match is in angle brackets. Keys and numbers are made up, or are test numbers of their
 * issuers.
 */
const FOUND: readonly (readonly [PrivacyPattern, string])[] = [
  ['email', 'mail to <ann@example.com>.'],
  ['email', "<ann.b+tag@mail.example.co.uk>, <BOB_1@EXAMPLE.ORG>;<o'neil@example.ie>"],
  ['email', 'mailto:<ann@example.com>?subject=x and to=<ann%40example.com>&b=1'],
  ['email', 'Ann <<ann@example.com>>, "<ann@example.com>"'],
  ['email', '<"ann b"@example.com> and <jürgen@müller.de> and <用户@例子.广告>'],
  ['email', '<ann@example.com>.5 <ann@xn--mller-kva.xn--vermgensberater-ctb>'],
  ['email', `${'a'.repeat(20)}<${'_'.repeat(64)}@example.com>`],
  ['email', '<ann＠example.com>'],
  ['email', 'in two signs each: <ju\u0308rgen@mu\u0308ller.de>'],
  ['phone', 'call <+49 30 901820> or <+1 (415) 555-2671>!'],
  ['phone', 'tel:<+442079460958>, wa.me/?p=<%2B4930901820>'],
  ['phone', '<＋４９　３０－９０１８２０>, <+49\u202f30\u2011901820>'],
  ['phone', '<+33 1 42 68 53 00> 2 people'],
  ['phone', '<+41-44-668-18-00>/<+86 10 6552 9988>'],
  ['credit_card', 'card <4111111111111111> or <4111 1111 1111 1111>'],
  ['credit_card', '<5555-5555-5555-4444> 12/27, <3782 822463 10005>'],
  ['credit_card', 'at 9 o clock: <4111 1111 1111 1111> 123'],
  ['credit_card', '<6011.0009.9013.9424>, <30569309025904>, <3530111333300000>'],
  ['credit_card', '12 <4111-1111-1111-1111>, 12/27 <4111.1111.1111.1111> 1-2, 7-<4111 1111 1111 1111>'],
  ['credit_card', '<4111-1111 1111.1111> 12/27, <3782 822463-10005>, <4111\u20111111\u202f1111\u00a01111>'],
  ['credit_card', '<4111 - 1111 - 1111 - 1111> 12, 12 - <5555 5555  5555 4444>'],
  ['credit_card', '2026-11-21 <4111-1111 1111-1111>; -<4111111111111111>'],
  [
    'credit_card',
    '<４１１１１１１１１１１１１１１１>, <４１１１－１１１１　１１１１．１１１１>, <٤١١١ ١١١١ ١١١١ ١١١١>',
  ],
  ['credit_card', '𝟒𝟐: <𝟒𝟏𝟏𝟏 𝟏𝟏𝟏𝟏 1111 𝟏𝟏𝟏𝟏> 𝟏'],
  ['us_ssn', '<０７８-05-1120>'],
  ['iban', 'to <DE89 3704 0044 0532 0130 00> is my account'],
  ['iban', '<GB29NWBK60161331926819>, <de89370400440532013000>'],
  ['iban', '<FR14 2004 1010 0505 0001 3M02 606>; <NO93-8601-1117-947>'],
  ['ip_address', 'from <192.168.0.1>:8080, <203.0.113.9>.'],
  ['ip_address', '<2001:db8::1>: refused; [<::1>]:80 and <2001:0db8:85a3:0000:0000:8a2e:0370:7334>'],
  ['ip_address', '<::ffff:192.0.2.128>/96'],
  ['us_ssn', 'ssn <078-05-1120>, <219 09 9999>.'],
  ['secret', 'key <AKIAIOSFODNN7ABCDEFG> here'],
  ['secret', 'GH_TOKEN=<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>'],
  ['secret', 'stripe <sk_live_4eC39HqLyjWDarjtT1zdp7dc>'],
  ['secret', 'authorization: <Bearer abcdefghijklmnop1234>'],
  [
    'secret',
    '<eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U>',
  ],
  ['secret', 'postgres-like://<ann:s3cr3t>@db.example.com/x'],
  ['secret', 'ftp-like://<ann:s3c@r3t>@db.example.com/x?by=ann@example.com'],
  ['secret', '<-----BEGIN PRIVATE KEY-----\nMIIE\n-----END PRIVATE KEY-----> done'],
  ['secret', 'cut: <-----BEGIN RSA PRIVATE KEY-----\nMIIEowIBAAKCAQEA>'],
  ['secret', '<mdt_0123456789ab_0123456789012345678901234567890123456789012_abcdef>'],
  [
    'secret',
    'key=<sk-mdt_0123456789ab_0123456789012345678901234567890123456789012_abcdef>, cut: <sk-mdt_0123456789ab_01>',
  ],
  ['secret', `<AIza${'Ab1_-'.repeat(7)}>`],
  ['secret', 'the secret access key <wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY> is new'],
  ['secret', `aws_secret_access_key = <${'aB3/+'.repeat(8)}>`],
  ['secret', `use "aws_secret_access_key":"<${'aB3/+'.repeat(8)}>", then go`],
  ['secret', `<sk-or-v1-${'0a'.repeat(32)}>, <xai-${'a0B'.repeat(26)}>, <pplx-${'a0B'.repeat(16)}>`],
  ['secret', `<ya29.${'a0-B_'.repeat(20)}>; <GOCSPX-${'a0-B_'.repeat(5)}>; <1//0${'a0-B_'.repeat(12)}>`],
  ['secret', '(<sk-lf-01234567-89ab-cdef-0123-456789abcdef>)'],
  ['secret', 'at the end of a sentence: <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>.'],
  ['secret', `<ghp_${'a1B'.repeat(23)}ab=\nZq7Zq7Zq7> in quoted-printable`],
  ['secret', 'the first line is missing:< MIIEowIBAAKCAQEA\n-----END RSA PRIVATE KEY-----> done'],
  ['secret', '{"password":"<aB3\\"xY9zQ>","user":"x"}'],
  ['secret', 'x = "<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" +\n  "Zq7Zq7>";'],
  ['secret', `a later form of a known mark: <sk-lf-${'a0B'.repeat(8)}>`],
  ['secret', `a longer number before the mark: <1234567890:A${'Ab1_-'.repeat(6)}Ab1_>`],
  ['secret', `<lsv2_pt_${'0a'.repeat(16)}_0123456789>, <dop_v1_${'0a'.repeat(32)}>`],
  ['secret', `AccountName=x;AccountKey=<${'aB3/+'.repeat(17)}Q==>;EndpointSuffix=core`],
  ['secret', `<${'aB3/+'.repeat(15)}a+AStabcdeQ==> as it is`],
  ['secret', 'authorization is <Basic dXNlcjpwYXNzd29yZA==>, <whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw>'],
];

const NOT_FOUND = [
  'order 1234567890, order #4929-1234-5678, ORD-2026-000123, 4111111111111112, 12345678901234567890123',
  '550e8400-e29b-41d4-a716-446655440000 and 41111111-1111-4111-8111-111111111111',
  '00000000-4111-1111-1111-111111111111',
  '4111-11-11 11:11:11.1111, 41-11 1111 1111 1111, 4111.11-11 1111-1111, 4111    1111    1111    1111',
  '2026-11-21, 2026-11-21T23:48:55.123Z, 23:48:55, 21.11.2026 23:48, 20261121T234855+0100, +01:00',
  '1.234.567,89 EUR, $1,234,567.89, +1 000 000 000, 0.4111111111111111, -42, 1e21, 100 %',
  'v1.2.3, 1.2.3.4.5, 10.0.19041.1, ^13.15.35, node@24.21.0, @scope/name@1.0.0, sha256:abc',
  'act_1, dec_01kx3v5t9zab54a98ceb1f0ad2, stl_01kx3v5t9z41111111111111111111, 1763769535123, 1763769535123456',
  'std::vector, A::B, ::, 12:34:56, aa:bb:cc:dd:ee:ff, 3:4, 999.1.1.1, 256.256.256.256',
  '000-12-3456, 666-12-3456, 912-34-5678, 123-00-4567, 123-45-0000, 123456789, 12-345-6789, 1.123-45-6789',
  'a@b, @ann, ann@, ann@localhost, ann at example.com, 5 @ 3.50, x@1.2',
  'DE00 3704 0044 0532 0130 00, XX89370400440532013000, DE89, US12 3456 7890 1234 5678',
  'bearer responsibilities are many, tokens, https://example.com/a:b@c, sk-short, eyJ.eyJ.x, -----BEGIN CERTIFICATE-----',
];

describe('finds exactly the match of a pattern', () => {
  test.each(FOUND)('%s: %s', (pattern, marked) => {
    const { text, spans } = unmarked(marked);
    expect(findPieces(text, [pattern])).toEqual(spans.map((span) => ({ ...span, pattern })));
  });

  test.each(NOT_FOUND)('finds nothing in: %s', (text) => {
    const pieces = findPieces(text, PRIVACY_PATTERNS);
    expect(pieces.map(({ pattern, start, end }) => `${pattern} ${text.slice(start, end)}`)).toEqual([]);
  });
});

/** Removes the markers. If brackets are nested, only the innermost brackets are markers. */
function unmarked(marked: string) {
  const spans: { start: number; end: number }[] = [];
  let text = '';
  let at = 0;
  for (const { index, 0: bracketed, 1: piece = '' } of marked.matchAll(/<([^<>]+)>/g)) {
    text += marked.slice(at, index);
    spans.push({ start: text.length, end: text.length + piece.length });
    text += piece;
    at = index + bracketed.length;
  }
  return { text: text + marked.slice(at), spans };
}

test('merges overlapping matches into one piece of the pattern that is named first', () => {
  const text = 'https://ann:4111111111111111@example.com/';
  expect(findPieces(text, ['email', 'secret'])).toEqual([{ pattern: 'email', start: 8, end: 40 }]);
  expect(findPieces(text, ['secret', 'email'])).toEqual([{ pattern: 'secret', start: 8, end: 40 }]);
});

test('does not search pieces that were replaced before, and does not join them with text beside them', () => {
  const token = `sealed:v1:${'0'.repeat(16)}:${'1'.repeat(16)}:${'4'.repeat(40)}.`;
  const texts = ['[redacted:email]@example.com', `${token}@example.com`, `+[erased]4930901820`];
  for (const text of texts) expect(findPieces(`${text} x@example.com`, PRIVACY_PATTERNS)).toHaveLength(1);
});

/**
 * Texts that could make the search slow: the beginnings of every pattern, and texts that nearly match, repeated many
 * times.
 */
const HOSTILE = [
  '@',
  'a@',
  'a@b.',
  '%40',
  'a%40b.c',
  '"@',
  '.',
  '-',
  'a.b-',
  'é',
  '1',
  '1 ',
  '1-',
  '1.',
  '4111 ',
  '4111-1111-',
  '0 ',
  '4 1-1 ',
  '4 1 - ',
  '4111 - 1111.',
  '４',
  '４１１１－',
  '𝟒 ',
  '+',
  '+1',
  '+49 30 ',
  '+1234567 ',
  '+1 (',
  '%2B',
  '030 ',
  '030 901820-',
  '030 9018-20 ',
  '4155552671 ',
  '415-555-26',
  '1 -',
  '06.02.2026',
  '00',
  '+12 34 56 78 90 12 ',
  'DE',
  'DE89',
  'DE89 ',
  'DE89 3704 0044 0532 0130 01 ',
  'GB29',
  ':',
  '::',
  'a:',
  '1:2:',
  '1.2.3.',
  '1.2.3.4:',
  'f::',
  '078-05-',
  '078-05-1120-',
  '078 05 ',
  'eyJ',
  'eyJaaaaaa',
  'eyJaaaaaa.',
  'Bearer ',
  'bearer aaaaaaaaaaaaaaaa',
  '://',
  '://a:',
  '://a:b',
  'http://a:b@',
  '://a:@',
  '://a:b@c@',
  '-----BEGIN PRIVATE KEY-----',
  '-----BEGIN ',
  'AKIA',
  'ghp_',
  'xoxb-',
  'xoxb-1-a-',
  'SG.',
  'SG.a.',
  'sk-proj-',
  'sk-mdt_',
  'aws_secret_access_key = "',
  'secret_key',
  'mongodb://',
  'mongodb://a:b@c/',
  'hvs.',
  'ops_ey',
  'glc_',
  'dapi',
  'hmac-sha256:',
  'token: ',
  'password is ',
  'password=a1b2c3',
  '"token":"',
  '\\"token\\":\\"',
  'token = "a1" +\n "',
  'password: |\n  ',
  'Cookie: a=1;',
  '<password>',
  'basic YTpi',
  ' -u a:b',
  'curl -u ',
  '?sig=0123456789&',
  'eyJaaaaaaaa.aaaaa.',
  'jdbc:oracle:thin:a/b@',
  '+ASt',
  'JQQJ9',
  'Q~',
  ':A',
  '-us1',
  '-----END PRIVATE KEY-----',
  'aB3/+',
  '\\"',
  '[redacted',
  'sealed:v1:',
  'person:',
  ' ',
  'a',
  '\uE000',
];

describe('takes linear time for any text', () => {
  // Four times as much text should take four times as long. Quadratic time would be sixteen times as long. The limit
  // is between them.
  const MOST_GROWTH = 11;
  /** Shorter times are too short to compare. */
  const LEAST_MS = 4;
  test.each(HOSTILE)('%j, repeated many times', (part) => {
    const [short, long] = [16 * 1024, 64 * 1024].map((units) => `${part.repeat(units / part.length)}Z`);
    // Garbage collection can make a measurement longer, and nothing makes it shorter. So the shortest time counts.
    let [shortMs, longMs] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
    const isLinear = [1, 2, 3, 4, 5].some(() => {
      [shortMs, longMs] = [Math.min(shortMs, msFor(short)), Math.min(longMs, msFor(long))];
      return longMs / Math.max(LEAST_MS, shortMs) < MOST_GROWTH;
    });
    expect(isLinear).toBe(true);
  });
});

/** Returns the CPU time of this thread. Other work of the machine is not included. */
function msFor(text = ''): number {
  const begun = process.threadCpuUsage();
  findPieces(text, PRIVACY_PATTERNS, nationalPhoneFinder(['DE', 'US']));
  const { user, system } = process.threadCpuUsage(begun);
  return (user + system) / 1_000;
}

test('returns pieces in the order of the text without overlaps', () => {
  const parts = fc.constantFrom(...FOUND.map(([, marked]) => unmarked(marked).text), ...HOSTILE);
  fc.assert(
    fc.property(fc.array(parts, { maxLength: 6 }), (some) => {
      let end = 0;
      for (const piece of findPieces(some.join(''), PRIVACY_PATTERNS)) {
        expect(piece.start).toBeGreaterThanOrEqual(end);
        ({ end } = piece);
      }
    }),
  );
});
