import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { effortOfAction } from '../effort.ts';
import { emailDomains } from './email-domains.ts';

const judge = emailDomains.create(['company.com', '*.branch.org']);
const check = (args: unknown) => judge(args, effortOfAction());

const FRIENDS = [
  'a@company.com',
  'A.B+tag@Company.COM',
  'a@x.branch.org',
  'a@y.x.branch.org',
  'a@company.com, b@company.com; c@x.branch.org',
  'a@company.com,',
  '',
  ' a@company.com ',
  'Ann <a@company.com>',
  '"Doe, John" <j@company.com>',
  '<a@company.com>',
  "o'neil@company.com",
];
const STRANGERS = [
  'x@evil.com',
  'a@company.com@evil.com',
  'a@evil.com@company.com',
  '"a@company.com" <x@evil.com>',
  'a@company.com <x@evil.com>',
  '<a@company.com> <x@evil.com>',
  'a@company.com.evil.com',
  'a@sub.company.com',
  'a@branch.org',
  'a@xbranch.org',
  'a@evilcompany.com',
  'a@company.com, x@evil.com',
  'a@company.com;x@evil.com',
  'a@company.com.',
  'a@.company.com',
  'a@company..com',
  'a@compаny.com',
  'a@ｃompany.com',
  'a@company。com',
  'x@evil.com(@company.com)',
  'a@company.com(x@evil.com)',
  '(x@evil.com)a@company.com',
  'x%evil.com@company.com',
  'evil.com!x@company.com',
  '@evil.com:a@company.com',
  '"a"@company.com',
  '"x@evil.com"@company.com',
  'a@[127.0.0.1]',
  'a@company.com#@evil.com',
  'a@company.com/@evil.com',
  'mailto:x@evil.com',
  'x@evil.com<a@company.com>',
  '"a@company.com, x@evil.com"',
  '"\\"" <a@company.com>, x@evil.com',
  'a@company.com\u0000x@evil.com',
];

describe('a field of recipients', () => {
  test.each(FRIENDS)('takes %j', (text) => {
    expect(check({ to: text })).toBeNull();
    expect(check({ message: { Reply_To: [text] } })).toBeNull();
  });

  test.each(
    [
      ...STRANGERS,
      'Bob',
      'everyone',
      'a@company.com b@company.com',
      'a@company.com\nBcc: x@evil.com',
      'a@company.com\r\nBcc: b@company.com',
      'a@company.com\t',
    ].filter((text) => text.trim() === text || text.includes('\n')),
  )('refuses %j', (text) => {
    expect(check({ to: text })).toMatchObject({ pointer: '/to', rule: 'emailDomains' });
    expect(check({ cc: ['a@company.com', text] })).toMatchObject({ pointer: '/cc/1' });
  });

  test.each([
    'To',
    'CC',
    'bcc',
    'recipient',
    'recipients',
    'email',
    'E-Mail',
    'toAddresses',
    'bcc_recipients',
    'attendees',
  ])('%s is one', (name) => {
    expect(check({ [name]: 'x@evil.com' })).not.toBeNull();
    expect(check({ [name]: 'Bob' })).not.toBeNull();
  });

  test('inside of it a name is a name, and whatever has an @ is an address', () => {
    expect(check({ to: [{ name: 'Bob', address: 'b@company.com' }] })).toBeNull();
    expect(check({ to: [{ name: 'Bob x@evil.com', address: 'b@company.com' }] })).toMatchObject({
      pointer: '/to/0/name',
    });
    expect(check({ to: { 'x@evil.com': 'Bob' } })).not.toBeNull();
  });
});

describe('anywhere else', () => {
  test.each(FRIENDS)('%j is let through', (text) => {
    expect(check({ body: text, [text]: 1 })).toBeNull();
  });

  test.each(STRANGERS.filter((text) => !/[/\0[\\]|^\(|"$/.test(text)))(
    '%j looks like an address and is refused',
    (text) => {
      expect(check({ someone: text })).toMatchObject({ pointer: '/someone' });
      expect(check({ list: [{ [text]: true }] })).not.toBeNull();
    },
  );

  test.each([
    'write to x@evil.com for more',
    'git@github.com:org/repo',
    '@alice thanks',
    'a @ b',
    'https://x@evil.com/path',
    'user@',
    'x@evil.com is mine',
    'pkg@1.2.3 and more',
  ])('%j is text', (text) => {
    expect(check({ body: text })).toBeNull();
  });
});

test('no line break slips a header in', () => {
  expect(check({ subject: 'Hello\r\nBcc: x@evil.com' })).toMatchObject({ pointer: '/subject' });
  expect(check({ from: 'Ann\nTo: x' })).not.toBeNull();
  expect(check({ subject: 'Hello', body: 'Hello\nTo: you' })).toBeNull();
});

test('no list in which one address is a stranger gets through, however written', () => {
  const local = fc.stringMatching(/^[a-z0-9+_-]{1,8}$/);
  const named = (address: fc.Arbitrary<string>) =>
    fc
      .tuple(fc.constantFrom('', 'Ann ', '"Doe, J" '), address)
      .map(([name, text]) => (name ? `${name}<${text}>` : text));
  const friend = named(local.map((name) => `${name}@company.com`));
  const stranger = named(
    fc
      .tuple(
        local,
        fc.constantFrom(
          'evil.com',
          'company.com.evil.com',
          'sub.company.com',
          'company.co',
          'ompany.com',
          'company.com@evil.com',
        ),
      )
      .map((pair) => pair.join('@')),
  );
  const list = fc.tuple(
    fc.array(friend, { maxLength: 3 }),
    stranger,
    fc.array(friend, { maxLength: 3 }),
    fc.constantFrom(',', ';', ', ', ' ; '),
  );
  fc.assert(
    fc.property(list, ([before, one, after, separator]) => {
      expect(check({ to: [...before, ...after].join(separator) })).toBeNull();
      expect(check({ to: [...before, one, ...after].join(separator) })).not.toBeNull();
      expect(check({ other: [...before, one, ...after].join(separator) })).not.toBeNull();
    }),
  );
});

test('texts of the greatest size end at once', () => {
  for (const unit of ['a@', '"', '<', '>', ',', 'a.', 'a@company.com,', '(', ' ', '"a"<'])
    check({ to: unit.repeat(6_000), x: unit.repeat(6_000) });
});
