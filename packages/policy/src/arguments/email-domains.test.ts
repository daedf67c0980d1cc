import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { stepBudgetOfAction } from '../step-budget.ts';
import { emailDomains } from './email-domains.ts';

const judge = emailDomains.create(['company.com', '*.branch.org']);
const check = (args: unknown) => judge(args, stepBudgetOfAction());

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
  test.each(FRIENDS)('accepts %j', (text) => {
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
  ])('treats the field %s as recipients', (name) => {
    expect(check({ [name]: 'x@evil.com' })).not.toBeNull();
    expect(check({ [name]: 'Bob' })).not.toBeNull();
  });

  test('checks every address nested in the field, and accepts any text as the name beside an address', () => {
    expect(check({ to: [{ name: 'Bob', address: 'b@company.com' }] })).toBeNull();
    expect(check({ to: [{ name: 'Bob @ Sales', address: 'b@company.com' }] })).toBeNull();
    expect(check({ to: [{ name: 'Bob x@evil.com', address: 'b@company.com' }] })).toMatchObject({
      pointer: '/to/0/name',
    });
    expect(check({ to: { 'x@evil.com': 'Bob' } })).not.toBeNull();
    expect(check({ to: [{ address: 'root@localhost' }] })).not.toBeNull();
  });
});

const HIDDEN = [
  'a@company.com x@evil.com',
  'a@company.com|x@evil.com',
  'a@company.com/x@evil.com',
  'a@company.com and x@evil.com',
  'a@company.com\nx@evil.com',
  'a@company.com\r\nBcc: x@evil.com',
  'mailto:x%40evil.com',
  'mailto:a@company.com?cc=x@evil.com',
  'mailto:a@company.com?cc=x%2540evil.com',
  'mailto://x@evil.com',
  'see https://x@evil.com/ for more',
  'https://a.net/?invite=x@evil.com',
  'b@evil.com (Bob)',
  'Bob (b@evil.com)',
  'x@(note)evil.com',
  'x@(a(b)c)evil.com',
  'x@evil(note).com',
  'x @ evil.com',
  'x@\r\n evil.com',
  'x@evil .com',
  'x@evil. com',
  '=?utf-8?q?x=40evil.com?=',
  '=?UTF-8?B?eEBldmlsLmNvbQ==?=',
  '=?utf-8?q?x=40ev?= =?utf-8?q?il.com?=',
  '=?utf-7?q?x+AEA-evil.com?=',
  '=?utf-8?q?x=40evil.com=2C?= <a@company.com>',
  '=?utf-8?q?x=40evil.com=2C?=a@company.com',
  'x=40evil.com',
  'x&#64;evil.com',
  'x&#x40;evil&#46;com',
  'x&commat;evil.com',
  'x@evil&#8203;.com',
  'x@evil&shy;.com',
  'x@evil%E2%80%8B.com',
  'x@evil=E2=80=8B.com',
  btoa('x@evil.com'),
  'x\\u0040evil.com',
  'x@ev\u00adil.com',
  'x\u200b@evil\u200b.com',
  'x＠evil.com',
  'x@evil。com',
  'x@evil.com_1',
  'for x@[192.0.2.1] only',
  'for x@192.0.2.1 only',
  '@company.com:x@evil.com and more',
  'to x%evil.com@company.com and more',
  '{"to":"x@evil.com"}',
  '<a href="mailto:x@evil.com">x</a>',
  btoa('x@evil.com, a@company.com'),
];

describe('an address hidden in a text', () => {
  test.each(HIDDEN)('%j is refused in a field of recipients and in any other field', (text) => {
    expect(check({ to: text })).toMatchObject({ pointer: '/to' });
    expect(check({ target: text })).toMatchObject({ pointer: '/target' });
    expect(check({ to: [{ name: text }] })).toMatchObject({ pointer: '/to/0/name' });
    expect(check({ options: { [text]: true } })).not.toBeNull();
  });

  test.each(['a@company.com x@evil.com', 'a@company.com\nx@evil.com', 'x@evil.com|a@company.com'])(
    '%j is refused if it is the whole of a body text',
    (text) => expect(check({ body: text })).not.toBeNull(),
  );

  test.each([
    'a@company.com x@y.branch.org',
    'a@company.com / b@company.com',
    'mailto:a%40company.com?cc=b@company.com',
    'Ann (a@company.com)',
    '=?utf-8?q?J=C3=BCrgen?= <j@company.com>',
  ])('%j is accepted because all its domains are allowed', (text) => {
    expect(check({ target: text })).toBeNull();
  });
});

describe('a whole message', () => {
  const message = (headers: string) =>
    `From: Ann <ann@elsewhere.net>\r\n${headers}\r\nSubject: Hi\r\n\r\nask x@evil.com`;
  const FOR_STRANGERS = [
    'To: x@evil.com',
    'To: a@company.com\r\nBcc: x@evil.com',
    'TO : x@evil.com',
    'To: a@company.com,\r\n\tx@evil.com',
    'Resent-To: x@evil.com',
    'To: =?utf-8?q?x=40evil.com?=',
    'To: a@company.com (x@evil.com)',
  ];
  const base64Url = (text: string) => btoa(text).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');

  test.each(FOR_STRANGERS)('is refused with the headers %j, in any field and encoding', (headers) => {
    const text = message(headers);
    const notations = [
      text,
      `\n\n${text}`,
      `From ann Thu Nov 26\n${text}`,
      text.replaceAll('\r\n', '\n'),
      text.replaceAll('\r\n', '\r'),
      btoa(text),
      base64Url(text),
      btoa(text).replace(/.{76}/g, '$&\r\n'),
      btoa(`${text}\0\xff`),
      `data:message/rfc822;base64,${btoa(text)}`,
    ];
    for (const notation of notations) {
      expect(check({ raw: notation })).toMatchObject({ pointer: '/raw' });
      expect(check({ message: { content: notation } })).not.toBeNull();
      expect(check({ to: notation })).not.toBeNull();
    }
  });

  test('is accepted if all recipients are allowed, whatever addresses its body contains', () => {
    const text = message('To: Ann <a@company.com>\r\nMessage-ID: <1@mail.example.net>');
    for (const notation of [text, btoa(text), base64Url(text)]) expect(check({ raw: notation })).toBeNull();
  });

  test('is accepted in an attachment, whatever its recipients', () => {
    expect(check({ attachments: [{ content: btoa(message('To: x@evil.com')) }] })).toBeNull();
  });

  test('a body text may begin like a mail message', () => {
    expect(check({ body: 'To: everyone\n\nLunch is at noon' })).toBeNull();
    expect(check({ body: 'Note: ask x@evil.com' })).toBeNull();
  });
});

describe('an @ that is not part of an address', () => {
  const MAIL = {
    to: 'a@company.com',
    subject: 'Lunch @ noon, was: x@evil.com',
    body: 'Write to x@evil.com, or @bob',
    message: '5 @ 3.50 each',
    messageId: '<CAF-1@mail.gmail.com>',
    inReplyTo: '<2@mail.example.net>',
    references: ['<1@mail.example.net>', '<2@mail.example.net>'],
    image: 'logo@2x.png',
    label: 'hi @bob',
    lines: ['2 @ 1.50'],
  };

  test.each([{ email: MAIL }, { mail: [MAIL] }, MAIL])('is accepted in a mail (example %#)', (args) => {
    expect(check(args)).toBeNull();
    expect(check({ email: { ...MAIL, cc: ['x@evil.com'] } })).toMatchObject({ pointer: '/email/cc/0' });
    expect(check({ email: { ...MAIL, label: 'hi x@evil.com' } })).toMatchObject({
      pointer: '/email/label',
    });
  });

  test.each([
    'logo@2x.png',
    'icons/logo@3x.webp and logo@2x.png',
    '@scope/name@1.0.0',
    'npm@latest',
    'pkg@1.2.3',
    'HEAD@{1}',
    '@alice',
    'https://medium.com/@ann.smith/post',
    '5 @ 3.50',
  ])('%j is accepted in every field except recipients', (text) => {
    expect(check({ value: text })).toBeNull();
    expect(check({ to: text })).not.toBeNull();
  });
});

describe('fields that the parameters name', () => {
  const named = emailDomains.create({ domains: ['company.com'], fields: ['target', 'raw'] });
  const checkNamed = (args: unknown) => named(args, stepBudgetOfAction());

  test('are checked as recipients, and no other field is checked', () => {
    expect(checkNamed({ target: 'a@company.com', to: 'x@evil.com', other: 'x@evil.com' })).toBeNull();
    expect(checkNamed({ Target: 'x@evil.com' })).toMatchObject({ pointer: '/Target' });
    expect(checkNamed({ options: { target: ['Bob'] } })).toMatchObject({ pointer: '/options/target/0' });
    expect(checkNamed({ target: { 'x@evil.com': 1 } })).not.toBeNull();
    expect(checkNamed({ raw: btoa('To: a@company.com\n\nx@evil.com') })).toBeNull();
    expect(checkNamed({ raw: btoa('To: x@evil.com\n\nhi') })).not.toBeNull();
  });
});

describe('outside recipient fields', () => {
  test.each(FRIENDS)('%j is accepted', (text) => {
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
  ])('%j is plain text and is accepted', (text) => {
    expect(check({ body: text })).toBeNull();
  });
});

test('refuses a line break that would add a mail header', () => {
  expect(check({ subject: 'Hello\r\nBcc: x@evil.com' })).toMatchObject({ pointer: '/subject' });
  expect(check({ from: 'Ann\nTo: x' })).not.toBeNull();
  expect(check({ subject: 'Hello\u2028Bcc: x' })).not.toBeNull();
  expect(check({ inReplyTo: '<1@x.net>\r\nBcc: x@evil.com' })).not.toBeNull();
  expect(check({ headers: { 'X-Tag': 'a\r\nBcc: b' } })).not.toBeNull();
  expect(check({ headers: [{ name: 'X-Tag\nBcc', value: 'b' }] })).not.toBeNull();
  expect(check({ subject: 'Hello', body: 'Hello\nTo: you' })).toBeNull();
});

test('refuses every list that contains a forbidden address, in any notation', () => {
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

const LONGEST = 64 * 1_024;

test.each([
  ...[
    'a@',
    '@',
    '"',
    '<',
    '>',
    ',',
    '.',
    '-',
    'a.',
    'a@company.com,',
    '(',
    '(a)',
    '@(@)',
    ' ',
    '@ ',
    '@-',
    '"a"<',
  ],
  ...[
    '%25',
    '%',
    '=\r\n',
    '=40',
    '&#0',
    '&#',
    '=?a?q?b?= ',
    '=?',
    'To:\n ',
    'aaaa',
    '\n',
    'From \n',
    'https://',
  ],
])('handles the longest text of repeated %j quickly', (unit) => {
  const text = unit.repeat(LONGEST / unit.length);
  for (const each of [text, `x@y${text}z`, `a@${text}`]) check({ to: each, x: each, body: each });
});
