import { posix, win32 } from 'node:path';
import { runs } from '@mandate/testing';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { stepBudgetOfAction } from '../../step-budget.ts';
import { compileArgumentRules } from '../argument-rules.ts';
import { paths } from './paths.ts';

const judge = (within: readonly string[], args: unknown, fields?: readonly string[]) =>
  paths.create({ within, fields })(args, stepBudgetOfAction());
const isIn = (within: string, path: unknown) => judge([within], { path }) === null;

describe('paths with the allowed folder /srv/data', () => {
  test.each([
    '/srv/data',
    '/srv/data/',
    '/srv/data/a.txt',
    '/srv/data/a/b (1).txt',
    '/srv/./data//a',
    '/srv/data/.hidden',
    '/srv/data/café/日本.csv',
    '/srv/data/v1.2/a_b-c+d=e@f,g#h',
  ])('accepts %j', (path) => {
    expect(isIn('/srv/data', path)).toBe(true);
    expect(isIn('/srv/data/', path)).toBe(true);
  });

  test.each([
    '',
    '/',
    '/srv',
    '/srv/database',
    '/srv/Data/x',
    '/SRV/data/x',
    '/etc/passwd',
    'srv/data/x',
    'data/x',
    '.',
    '..',
    '/srv/data/..',
    '/srv/data/../x',
    '/srv/data/a/../b',
    '/srv/data/.. /x',
    '/srv/data/.../x',
    '/srv/data/x.',
    '/srv/data/x ',
    '/srv/data/ x',
    ' /srv/data/x',
    '/srv/data/x\n',
    '/srv/data/x\n/etc/passwd',
    '/srv/data/x\0.txt',
    '//srv/data/x',
    '///srv/data/x',
    '\\srv\\data\\x',
    '/srv/data\\..\\..\\x',
    '/srv/data/a\\b',
    '/srv/data/%2e%2e/x',
    '/srv/data/%41',
    '/srv/data/a%',
    'file:///srv/data/x',
    'https://x/srv/data/x',
    'host:/srv/data/x',
    '/srv/data/x:stream',
    '/srv/data/x:/etc',
    'C:/srv/data/x',
    '~/srv/data/x',
    '/srv/data/~root',
    '/srv/data/$HOME',
    '/srv/data/`id`',
    '/srv/data/x; cat /etc/passwd',
    '/srv/data/x /etc/passwd|y',
    '/srv/data/{a,../../etc}/x',
    '/srv/data/*',
    '/srv/data/?',
    '/srv/data/[a]',
    "/srv/data/'x'",
    '/srv/data/"x"',
    '/srv/data/<x>',
    '/srv/data/x!',
    '／srv／data／x',
    '/srv/data/‥/x',
    '/srv/data/a／..／b',
    '/srv/data/\u2024\u2024/x',
    '/srv/data/a\u200b',
    '/srv/data/a\u202eb',
    '/srv/data/nul',
    '/srv/data/con.txt',
    '/srv/data/LPT1/x',
    '-rf',
  ])('refuses %j', (path) => {
    expect(isIn('/srv/data', path)).toBe(false);
  });
});

describe('paths with an allowed folder on a drive', () => {
  test.each(['C:\\data', 'c:\\Data\\x', 'C:/data/x.txt', 'C:\\data\\a/b', 'c:\\DATA\\.\\x'])(
    'accepts %j',
    (path) => {
      expect(isIn('C:\\data', path)).toBe(true);
    },
  );

  test.each([
    ...[
      'C:\\',
      'C:\\database',
      'D:\\data',
      '\\data\\x',
      '/data/x',
      'data\\x',
      'C:data\\x',
      'C:\\data\\..\\x',
    ],
    ...[
      'C:\\data.\\x',
      'C:\\data \\x',
      'C:\\DATA~1\\x',
      'C:\\data\\x:$DATA',
      'C:\\data\\x::$INDEX_ALLOCATION',
    ],
    ...[
      '\\\\?\\C:\\data\\x',
      '\\\\host\\c$\\data',
      'C:\\data\\NUL',
      'C:\\data\\com1.txt',
      'C:\\data\\a?',
      'C:',
    ],
    ...['C:\\data\\x.', 'C:\\data\\x ', 'file:///C:/data/x', '/c/data/x', '%DATA%\\x'],
  ])('refuses %j', (path) => {
    expect(isIn('C:\\data', path)).toBe(false);
  });
});

describe("paths with an allowed folder in the tool's working folder", () => {
  test.each(['data', 'data/x', './data/x', 'data/./x'])('accepts %j', (path) => {
    expect(isIn('data', path)).toBe(true);
    expect(isIn('./data', path)).toBe(true);
    expect(isIn('.', path)).toBe(true);
  });

  test.each([
    ...[
      '',
      '.',
      'x',
      'database',
      '/data',
      '/data/x',
      'data/../x',
      'data\\x',
      '-data',
      '~',
      '~/data',
      'C:data',
    ],
    ...['../data', 'Data/x'],
  ])('refuses %j', (path) => {
    expect(isIn('data', path)).toBe(false);
  });

  test('accepts the dot as the folder itself', () => {
    expect(isIn('.', '.')).toBe(true);
    expect(isIn('.', './')).toBe(true);
    expect(isIn('.', '..')).toBe(false);
    expect(isIn('.', '/')).toBe(false);
  });
});

describe('the strings that are checked', () => {
  test('without `fields`: every string except the names of the arguments', () => {
    expect(judge(['/a', '/b'], { from: '/a/x', to: ['/b/y'], n: 1 })).toBeNull();
    expect(judge(['/a'], { path: '/a/x', encoding: 'utf8' })).toMatchObject({ pointer: '/encoding' });
    expect(judge(['/a'], { files: { '/etc/x': 1 } })).toMatchObject({ rule: 'paths' });
    expect(judge(['/a'], { files: { '/a/x': 1 } })).toBeNull();
  });

  test('with `fields`: every string in these fields', () => {
    expect(judge(['/a'], { path: '/a/x', encoding: 'utf8' }, ['path'])).toBeNull();
    expect(judge(['/a'], { PATH: ['/a/x', '/c'] }, ['path'])).toMatchObject({ pointer: '/PATH/1' });
    expect(judge(['/a'], { path: { of: '/a/x' } }, ['path'])).toMatchObject({ rule: 'paths' });
  });
});

test('a fault contains the place, the expected value, and the kind of value found', () => {
  expect(judge(['/srv/data', '/tmp'], { path: '/etc/passwd' })).toEqual({
    pointer: '/path',
    expected: 'a plain path in /srv/data or /tmp, without ".."',
    seen: 'a string',
    rule: 'paths',
  });
});

test.each([
  '',
  '..',
  '/srv/../data',
  'file:///srv',
  '~/data',
  '$HOME',
  '/srv/*',
  'C:data',
  '\\\\host\\share',
  ' /srv',
])('refuses the folder %j when the document is loaded', (folder) => {
  const rules = compileArgumentRules({ validators: [{ paths: { within: ['/ok', folder] } }] });
  expect(rules).toMatchObject({ ok: false, faults: [{ path: ['validators', 0, 'paths'] }] });
});

test('applies the rules of both policies if two policies have rules for one tool', () => {
  const rules = compileArgumentRules({
    validators: [{ paths: { within: ['/srv'] } }, { paths: { within: ['/srv/data', '/tmp'] } }],
  });
  if (!rules.ok) throw new Error('refused');
  const passes = (path: string) => rules.validate({ path }, stepBudgetOfAction()) === null;
  expect(['/srv/data/x', '/srv/x', '/tmp/x'].map(passes)).toEqual([true, false, false]);
});

test('any program that reads an accepted path stays inside the folder', () => {
  const piece = fc.oneof(
    fc.constantFrom(
      ...[
        '/',
        '\\',
        '..',
        '.',
        '//',
        ' ',
        ':',
        'C:',
        '~',
        '%2e',
        '%2f',
        '%',
        '$',
        '\n',
        '\t',
        '\0',
        '*',
        '-',
      ],
      ...[
        'srv',
        'data',
        'a',
        'B',
        'é',
        '／',
        '．',
        '\u202e',
        'nul',
        'x.',
        'file:',
        '$HOME',
        '\u212a',
        '¥',
        '#',
        '?',
      ],
    ),
    fc.string({ maxLength: 2 }),
  );
  const text = fc
    .tuple(fc.constantFrom('', '/srv/data', '/srv/data/', 'C:\\data\\', 'data/', './data/'), fc.array(piece))
    .map(([start, pieces]) => start + pieces.join(''));
  const readers: readonly ((path: string) => string)[] = [
    (path) => path,
    (path) => path.trim(),
    (path) => decodeURIComponent(path),
    (path) => path.normalize('NFKC'),
    (path) => path.replace(/[\t\n\r]/g, ''),
    (path) => path.split('\0')[0] ?? '',
    (path) => path.replaceAll('\\', '/'),
  ];
  fc.assert(
    fc.property(text, (path) => {
      for (const read of readers) {
        if (isIn('/srv/data', path)) {
          expect(`${posix.resolve('/work', read(path))}/`).toMatch(/^\/srv\/data\//);
          expect(`${win32.resolve('C:\\work', read(path))}\\`).toMatch(/^C:\\srv\\data\\/);
        }
        if (isIn('C:\\data', path)) {
          expect(`${win32.resolve('D:\\work', read(path))}\\`).toMatch(/^C:\\data\\/i);
        }
        if (isIn('data', path)) {
          expect(`${posix.resolve('/work', read(path))}/`).toMatch(/^\/work\/data\//);
          expect(`${win32.resolve('C:\\work', read(path))}\\`).toMatch(/^C:\\work\\data\\/);
        }
      }
    }),
    { numRuns: runs(3_000) },
  );
});
