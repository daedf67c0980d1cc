import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { effortOfAction } from '../effort.ts';
import { noSystemPaths } from './no-system-paths.ts';

const judge = noSystemPaths.create(undefined);
const check = (args: unknown) => judge(args, effortOfAction());

describe('refused', () => {
  test.each([
    '/etc/passwd',
    '/etc',
    '/etc/',
    '//etc/passwd',
    '///etc//passwd',
    '/./etc/passwd',
    '/././/etc',
    '/ETC/passwd',
    ' /etc/passwd ',
    '/proc/self/environ',
    '/sys/kernel',
    '/dev/sda',
    '/boot/grub',
    '/root',
    '/root/.bashrc',
    '/var/run/docker.sock',
    '/run/secrets/key',
    '/private/etc/hosts',
    '~root/x',
    '/home/x/..',
    '/home/x/../../etc',
    '/srv/data/../other',
    '/..',
    '~/..',
    '$HOME/../x',
    '%userprofile%\\..\\x',
    '..',
    '../x',
    '..\\x',
    'a/../../b',
    'a/b/../../..',
    './../x',
    '.. /x',
    'a/.. /.. /b',
    'a\\..\\..\\b',
    'a/..\\../b',
    'x://../../etc',
    '~/.ssh/id_rsa',
    '/home/x/.ssh',
    '.ssh',
    '.ssh/id_rsa',
    'C:\\Users\\x\\.aws\\credentials',
    '~/.aws/credentials',
    'backup/.gnupg/x',
    'C:\\Windows',
    'c:/windows/system32',
    'C:\\WINDOWS.\\x',
    'C:\\Windows \\x',
    'C:Windows\\x',
    'D:\\WinNT',
    '%SystemRoot%\\x',
    '%windir%',
    '$env:windir\\x',
    'C:\\..\\x',
    'C:..\\x',
    'C:\\a\\..\\b',
    '/c/windows/x',
    '/mnt/c/Windows/System32',
    'file:///C:/Windows/x',
    'FILE:///c:\\windows',
    '\\\\?\\C:\\x',
    '\\\\.\\PhysicalDrive0',
    '\\??\\C:\\x',
    '\\\\host\\c$',
    '\\\\host\\ADMIN$\\x',
    '//host/ipc$',
    'file://host/c$/x',
    'file:///etc/passwd',
    'file:/etc/passwd',
    'file://localhost/etc/passwd',
    'jar:file:///etc/x!/y',
    'unix:///var/run/docker.sock',
    'host:/etc/passwd',
    '%2e%2e/x',
    '%2E%2E%2Fx',
    '..%2fx',
    '%2fetc%2fpasswd',
    '%252e%252e%252fx',
    '%25252e%25252e/x',
    `%${'25'.repeat(9)}2e/x`,
    '..%c0%afx',
    '%c0%ae%c0%ae/x',
    '..%5cx',
    '／etc／passwd',
    '．．/x',
    '\uff0e\uff0e\uff0fx',
    '..∕x',
    '..⁄x',
    '‥/x',
    '..＼x',
    '%ef%bc%8fetc',
    '/etc\u2215passwd',
    'report.txt\0.png',
    'report%00.png',
    'a\0',
    '/tmp/x\0/../../etc',
    'cat /etc/passwd',
    'cat</etc/passwd',
    'x;cat /etc/passwd',
    '$(cat /etc/shadow)',
    'curl -d @/etc/passwd x',
    '--file=/etc/passwd',
    '-I/etc',
    'a,/etc/x',
    'PATH=/bin:/etc',
    '{"path":"/etc/passwd"}',
    "open('/etc/passwd')",
    'https://x/y?file=/etc/passwd',
    'line\n/etc/passwd',
    'cp a ../../b',
    '[x](/proc/1)',
  ])('%j', (text) => {
    expect(check({ a: [{ b: text }] })).toMatchObject({ pointer: '/a/0/b', rule: 'noSystemPaths' });
    expect(check({ files: { [text]: 'content' } })).toMatchObject({ rule: 'noSystemPaths' });
  });
});

describe('let through', () => {
  test.each([
    'see etc/passwd docs and/or more',
    'etc/passwd',
    'or/and',
    '1/2',
    '2026/01/31',
    'w/o',
    'n/a',
    '',
    ' ',
    'a/b/c.txt',
    './a',
    'a/../b',
    'a/b/../../c',
    '/home/x/file',
    '/srv/data',
    '/tmp/a.b',
    '/etcetera',
    '/development/x',
    '/system',
    '/rooted',
    '/var/running',
    '/usr/share/doc',
    'x/etc/passwd',
    'x/root/y',
    '/a/...',
    './...',
    '/a/..b',
    '/a/b..',
    'wait... /ok',
    'hmm .. ok',
    '...',
    'e.g. this',
    'a..b/c',
    'v1..v2',
    'C:\\Users\\x\\file.txt',
    'D:/data',
    'C:\\Program Files\\x',
    'C:\\WindowsApps\\x',
    '\\\\host\\share\\x',
    'my windows/doors',
    '12:30',
    'a: b',
    'https://company.com/etc/passwd',
    'https://company.com:8080/etc/x',
    'https://company.com/a/../b',
    'http://etc/passwd',
    's3://bucket/dev/x',
    'mailto:a@b',
    '100% sure',
    '50%25',
    '%zz',
    'caf\u00e9/men\u00fc',
    '½',
    '日本語/テキスト',
    'the folder .ssh holds keys',
    'ssh/config',
    '.sshd/x',
    'my.ssh/x',
    '~',
    '~/notes',
    'git@github.com:org/repo',
    'SELECT a/b FROM t',
    'etc.',
    'dev/null',
  ])('%j', (text) => {
    expect(check({ a: text })).toBeNull();
  });

  test('what is no string', () => {
    expect(check({ a: 1, b: null, c: [true], d: {} })).toBeNull();
  });
});

test('says where, what was expected, and what it saw', () => {
  expect(check({ files: ['ok', { path: '/etc/passwd' }] })).toEqual({
    pointer: '/files/1/path',
    expected: 'no path into a system folder',
    seen: 'a string',
    rule: 'noSystemPaths',
  });
});

test('no spelling of a system path by doubled slashes, dots, either slash, case or encoding gets through', () => {
  const slash = fc.constantFrom('/', '//', '/./', '\\', '\\.\\', '%2f', '%5C', '／', '/.//');
  const letter = (char: string) =>
    fc.constantFrom(
      char,
      char.toUpperCase(),
      `%${char.charCodeAt(0).toString(16)}`,
      String.fromCharCode(char.charCodeAt(0) + 0xfee0),
    );
  const spelled = (word: string) => fc.tuple(...[...word].map(letter)).map((letters) => letters.join(''));
  const folder = fc.constantFrom('etc', 'proc', 'sys', 'dev', 'boot', 'root').chain(spelled);
  fc.assert(
    fc.property(
      fc.constantFrom('', 'cat ', 'x="', 'file:', 'see\n'),
      slash,
      folder,
      slash,
      spelled('passwd'),
      (before, first, name, second, rest) => {
        expect(check({ path: before + first + name + second + rest })).not.toBeNull();
      },
    ),
    { numRuns: 1_000 },
  );
});

test('a relative path is refused exactly if resolving it leaves its folder', () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom('a', 'b', '.', '..', ''), { minLength: 2, maxLength: 8 }),
      (segments) => {
        fc.pre(segments[0] !== '');
        const path = segments.join('/');
        let left = false;
        let folders: string[] = [];
        for (const segment of segments) {
          if (segment === '..' && folders.length === 0) left = true;
          folders =
            segment === '..'
              ? folders.slice(0, -1)
              : segment === '.' || segment === ''
                ? folders
                : [...folders, segment];
        }
        expect([path, check({ path }) !== null]).toEqual([path, left]);
      },
    ),
  );
});

test('texts of the greatest size end at once', () => {
  for (const unit of [
    '/',
    '../',
    'a/',
    ':',
    '%25',
    '%',
    '. ',
    '\\',
    '／',
    'x: ',
    'file:',
    ' /',
    '~',
    '.. ',
  ]) {
    check({ a: unit.repeat(65_536 / unit.length) });
    check({ a: `/${unit.repeat(65_535 / unit.length)}` });
  }
});
