import { expect, test } from 'vitest';
import { FORMATS } from './formats.ts';

const goldens: Record<string, { good: string[]; bad: string[] }> = {
  date: {
    good: ['2026-01-31', '2024-02-29', '2000-02-29', '0000-01-01'],
    bad: [
      '2026-02-29',
      '1900-02-29',
      '2026-13-01',
      '2026-00-10',
      '2026-04-31',
      '2026-1-1',
      '2026-01-01\n',
      '',
    ],
  },
  time: {
    good: [
      '00:00:00Z',
      '23:59:59.123456z',
      '12:00:00+05:30',
      '23:59:60Z',
      '00:29:60+00:30',
      '15:59:60-08:00',
    ],
    bad: [
      '24:00:00Z',
      '12:60:00Z',
      '12:00:61Z',
      '12:00:60Z',
      '12:00:00',
      '12:00Z',
      '12:00:00+24:00',
      '12:00:00.Z',
    ],
  },
  'date-time': {
    good: ['2026-01-01T00:00:00Z', '2026-01-01t00:00:00.5-01:00', '2026-01-01 00:00:00Z'],
    bad: ['2026-01-01', '2026-01-01T00:00:00', '2026-02-30T00:00:00Z', '2026-01-01_00:00:00Z', 'T', ''],
  },
  email: {
    good: ['a@b', 'first.last+tag@sub.company.com', "o'neil@company.com"],
    bad: [
      'a',
      '@b',
      'a@',
      'a@@b',
      'a@b@c',
      '.a@b',
      'a..b@c',
      'a b@c',
      '"a"@b',
      'a@[127.0.0.1]',
      'a@b.',
      'a@-b',
      'ä@b',
      'a@b\n',
    ],
  },
  hostname: {
    good: [
      'a',
      'a-b.c',
      'xn--bcher-kva.example',
      'XN--BCHER-KVA',
      'xn--9ca.xn--p1ai',
      'r3---sn.a',
      '1.2',
      'A'.repeat(63),
    ],
    bad: [
      '',
      '.',
      'a.',
      '.a',
      'a..b',
      '-a',
      'a-',
      'a_b',
      'ä',
      'xn--',
      'xn--a',
      'xn--a-',
      'xn--99999999999',
      'a.xn--bcher-zzz-kva-9',
      `xn--${'\u{200d}'.codePointAt(0)}`,
      'a'.repeat(64),
      Array(130).fill('a').join('.'),
    ],
  },
  ipv4: {
    good: ['0.0.0.0', '255.255.255.255'],
    bad: ['256.0.0.1', '01.2.3.4', '1.2.3', '1.2.3.4.5', '1.2.3.4 ', '0x1.2.3.4', ''],
  },
  ipv6: {
    good: [
      '::',
      '::1',
      '1::',
      '1:2:3:4:5:6:7:8',
      '1:2:3:4:5:6:7::',
      '::ffff:1.2.3.4',
      '1:2:3:4:5:6:1.2.3.4',
      'FE80::1',
    ],
    bad: [
      '',
      ':',
      ':::',
      '1:2:3:4:5:6:7',
      '1:2:3:4:5:6:7:8:9',
      '1:2:3:4:5:6:7:8::',
      '1::2::3',
      ':1:2:3:4:5:6:7',
      '12345::',
      '::1%eth0',
      '1.2.3.4',
      '::1.2.3',
    ],
  },
  uri: {
    good: ['https://company.com/a?b=c#d', 'mailto:a@b', 'urn:isbn:1', 'http://[::1]:80/', 'http://a/%20'],
    bad: [
      '',
      'a',
      '//a/b',
      '/a',
      'http://a b',
      'http://a/%zz',
      'http://a/#b#c',
      'http://ä/',
      'http://[',
      '1http://a',
      'http://a/\n',
      'http://a/[1]',
      'http:/[::1]',
      'http://[@a/',
      'http://a[b/',
      'http://[::1/',
      'http://[v1.a]/',
      'http://a:b/',
      'http://999.0.0.1/',
    ],
  },
  uuid: {
    good: ['123e4567-e89b-12d3-a456-426614174000', '123E4567-E89B-12D3-A456-426614174000'],
    bad: [
      '123e4567e89b12d3a456426614174000',
      '{123e4567-e89b-12d3-a456-426614174000}',
      '123e4567-e89b-12d3-a456-42661417400g',
      '',
    ],
  },
};

test('has test cases for each format', () => {
  expect(Object.keys(goldens).sort()).toEqual(Object.keys(FORMATS).sort());
});

test.each(Object.entries(goldens).flatMap(([format, { good }]) => good.map((text) => [format, text])))(
  '%s accepts %j',
  (format, text) => {
    expect(FORMATS[format ?? '']?.(text ?? '')).toBe(true);
  },
);

test.each(Object.entries(goldens).flatMap(([format, { bad }]) => bad.map((text) => [format, text])))(
  '%s refuses %j',
  (format, text) => {
    expect(FORMATS[format ?? '']?.(text ?? '')).toBe(false);
  },
);

test('every format handles the longest texts quickly', () => {
  for (const unit of ['a', '1.', 'a@', '%20', '-', ':', 'http:', '0:', "a'."]) {
    for (const reads of Object.values(FORMATS)) reads(unit.repeat(65_536 / unit.length));
  }
});
