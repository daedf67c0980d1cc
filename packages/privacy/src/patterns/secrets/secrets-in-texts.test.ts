/**
 * Tests that no part of a secret remains: for every known kind, in every form of text that contains secrets, and
 * beside any character.
 */
import { runs } from '@mandate/testing';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { redactPieces } from '../redact-pieces.ts';
import { TOKEN_FORMS } from './token-forms.ts';

/** The shortest part of a secret that still reveals something. */
const TELLING = 6;

const base62 = fc.stringMatching(/^[0-9A-Za-z]{24}[0-9][a-z]{3}$/);
const base64 = fc.stringMatching(/^[0-9A-Za-z+/]{34}[0-9][+/][a-z]{4}$/);
const hex = fc.stringMatching(/^[0-9a-f]{30}[0-9][a-f]$/);

/** The shortest text of each form, followed by text that a later version may add. */
const tokens = TOKEN_FORMS.map(({ kind, mark, rest, before = '' }) => ({
  kind,
  secret: fc
    .tuple(
      fc.stringMatching(new RegExp(`^${before.replaceAll(/\(\?<[!=][^)]*\)/g, '')}$`)),
      fc.stringMatching(new RegExp(`^${rest.replaceAll(/\(\?[!=][^)]*\)/g, '')}$`)),
      fc.constantFrom('', '', 'Zq7Zq7Zq7', '-tail_9tail', '.abcdef12'),
    )
    .filter(
      ([head, tail]) => new RegExp(`^(?:${before})$`).test(head) && new RegExp(`^(?:${rest})$`).test(tail),
    )
    .map(([head, tail, more]) => head + mark + tail + (/\(\?!/.test(rest) ? '' : more)),
}));

const OTHERS = [
  {
    kind: 'JSON web token',
    secret: fc
      .tuple(base62, base62, base64)
      .map(([a, b, c]) => `eyJ${a}.eyJ${b}.${c.replaceAll(/[+/]/g, '_')}`),
  },
  {
    kind: 'encrypted web token',
    secret: fc.tuple(base62, base62, base62).map(([a, b, c]) => `eyJ${a}.${b}.${c}.${b}.${a}`),
  },
  {
    kind: 'PEM',
    secret: fc
      .array(base64, { minLength: 1, maxLength: 4 })
      .map((lines) => `-----BEGIN RSA PRIVATE KEY-----\n${lines.join('\n')}\n-----END RSA PRIVATE KEY-----`),
  },
  { kind: 'Bearer', secret: base62.map((token) => `Bearer ${token}`) },
  {
    kind: 'Basic',
    secret: fc.tuple(base62, base62).map((pair) => `Basic ${Buffer.from(pair.join(':')).toString('base64')}`),
  },
  { kind: 'URL', secret: fc.tuple(base62, base62).map(([user, password]) => `https://${user}:${password}@`) },
];

/** The part of these values that is not secret and may remain. */
const IS_PUBLIC: Readonly<Record<string, string>> = { URL: 'https://' };

type Context = readonly [what: string, around: (secret: string) => string];

/** Forms in which a text may contain any value. The text around the value is not part of the secret. */
const ANYWHERE: readonly Context[] = [
  ['alone', (secret) => secret],
  ['in prose', (secret) => `please use ${secret} for this`],
  ['at the end of a sentence', (secret) => `it is ${secret}.`],
  ['in double quotes', (secret) => `it = "${secret}", done`],
  ['in single quotes', (secret) => `f('${secret}');`],
  ['in backticks', (secret) => `use \`${secret}\``],
  ['in brackets', (secret) => `(${secret})`],
  ['in a variable of a shell', (secret) => `export X=${secret}\nY=1`],
  ['in YAML', (secret) => `a:\n  b: ${secret.replaceAll('\n', '\n     ')}\n  c: 1\n`],
  ['in JSON', (secret) => JSON.stringify({ a: secret, b: 1 })],
  ['in JSON in JSON', (secret) => JSON.stringify({ a: JSON.stringify({ b: secret, c: 1 }) })],
  ['after an escaped line break', (secret) => JSON.stringify(`a\n${secret}\nb`)],
  ['in TOML', (secret) => `[a]\nb = """${secret}"""\n`],
  ['in XML', (secret) => `<a>${secret}</a>`],
  ['in a query', (secret) => `https://example.com/?a=${secret}&b=1`],
  [
    'in an escaped query',
    (secret) => `https://example.com/?u=https%3A%2F%2Fx.org%2F%3Fa%3D${secret}%26b%3D1`,
  ],
  ['in an option', (secret) => `cmd --a=${secret} --b`],
  ['in Markdown', (secret) => `[a](${secret})`],
  ['in CSV', (secret) => `1,${secret},2`],
  ['in a record of a log', (secret) => `2026-11-21 level=info a=${secret} b=1`],
  ['twice', (secret) => `${secret} and ${secret}`],
];

/** Forms of text in which a name says that the value is a secret. So the value may have any form. */
const NAMED: readonly Context[] = [
  ['after a prompt of aws configure', (secret) => `AWS Secret Access Key [None]: ${secret}`],
  ['after a line break', (secret) => `aws_secret_access_key =\n  ${secret}`],
  ['before a line break', (secret) => `aws_secret_access_key\n= ${secret}`],
  ['in a table', (secret) => `| user | x |\n| password | ${secret} |`],
  ['in DB_PASS', (secret) => `DB_PASS=${secret}`],
  ['in secret_key_base', (secret) => `secret_key_base: ${secret}`],
  ['in _auth', (secret) => `_auth=${secret}`],
  ['after -p', (secret) => `mysql -u root -p${secret} -h db`],
  ['in German', (secret) => `Passwort: ${secret}`],
  ['in French', (secret) => `le mot de passe : ${secret}`],
  ['in Chinese', (secret) => `密码：${secret}`],
  ['as the issue has it', (secret) => `aws_secret_access_key = ${secret}`],
  ['close by', (secret) => `aws_secret_access_key=${secret}`],
  ['far away', (secret) => `aws_secret_access_key      =      ${secret}`],
  ['in the midst', (secret) => `set aws_secret_access_key = ${secret} and go on`],
  ['in quotes', (secret) => `client_secret: "${secret}"`],
  ['in a file of variables', (secret) => `A=1\nDB_PASSWORD=${secret}\nB=2`],
  ['exported', (secret) => `export MISTRAL_API_KEY=${secret}`],
  ['in PowerShell', (secret) => `$env:COHERE_API_KEY="${secret}"`],
  ['in a Dockerfile', (secret) => `ENV COHERE_API_KEY=${secret}`],
  ['in YAML', (secret) => `db:\n  password: ${secret}\n  user: x`],
  ['in a block of YAML', (secret) => `db:\n  password: |\n    ${secret}\n  user: x`],
  ['in a list of variables', (secret) => `env:\n  - name: DB_PASSWORD\n    value: ${secret}\n`],
  ['in a list of variables in JSON', (secret) => JSON.stringify([{ name: 'DB_PASSWORD', value: secret }])],
  ['in JSON', (secret) => JSON.stringify({ apiKey: secret, user: 'x' })],
  ['in JSON on many lines', (secret) => JSON.stringify({ user: 'x', 'api-key': secret }, null, 2)],
  ['in JSON in JSON', (secret) => JSON.stringify({ body: JSON.stringify({ access_token: secret, a: 1 }) })],
  ['in JSON in JSON in JSON', (secret) => JSON.stringify(JSON.stringify(JSON.stringify({ token: secret })))],
  ['in Python', (secret) => `d = {'password': '${secret}'}`],
  ['in PHP', (secret) => `['password' => '${secret}']`],
  ['in TOML', (secret) => `[a]\ntoken = "${secret}"\nb = 1`],
  ['in INI', (secret) => `[default]\naws_access_key_id = x\naws_secret_access_key = ${secret}\nregion = y`],
  ['in properties', (secret) => `spring.datasource.password=${secret}\na=b`],
  ['in .npmrc', (secret) => `//example.com/:_authToken=${secret}`],
  ['in .netrc on a line of its own', (secret) => `machine x\n  login y\n  password ${secret}`],
  ['in .netrc', (secret) => `machine x login y password ${secret}`],
  ['in XML', (secret) => `<server><password>${secret}</password></server>`],
  ['in an attribute', (secret) => `<add name="x" password="${secret}" />`],
  ['in a named attribute', (secret) => `<add key="Password" value="${secret}" />`],
  ['in a query', (secret) => `https://example.com/?access_token=${secret}&b=1`],
  ['in a form', (secret) => `grant_type=password&username=x&password=${secret}&scope=y`],
  ['in a connection string', (secret) => `Server=x;Database=y;Password=${secret};Encrypt=true`],
  [
    'in a connection string of Azure',
    (secret) => `DefaultEndpointsProtocol=https;AccountName=x;AccountKey=${secret};EndpointSuffix=y`,
  ],
  ['in one of PostgreSQL', (secret) => `host=x user=y password=${secret} dbname=z`],
  ['in a header', (secret) => `GET / HTTP/1.1\r\nHost: x\r\nX-Api-Key: ${secret}\r\nAccept: */*\r\n`],
  ['in an Authorization', (secret) => `Authorization: Token ${secret}\r\nAccept: */*`],
  ['in a cookie', (secret) => `Cookie: a=1; session=${secret}; b=2`],
  ['in curl', (secret) => `curl -H 'X-Auth-Token: ${secret}' https://x`],
  ['in -u', (secret) => `curl -u user:${secret} https://x`],
  ['in an option', (secret) => `mysql --password ${secret} --host x`],
  ['in an option with =', (secret) => `deploy --token=${secret} --host x`],
  ['in SQL', (secret) => `ALTER USER x WITH PASSWORD '${secret}'; SELECT 1`],
  ['in other SQL', (secret) => `CREATE USER x IDENTIFIED BY PASSWORD '${secret}'`],
  ['in a call', (secret) => `config.set("api_key", "${secret}");`],
  ['put together', (secret) => `const token = "${secret.slice(0, 12)}" +\n  "${secret.slice(12)}";`],
  ['in prose', (secret) => `the password is ${secret}.`],
  [
    'in a signed URL',
    (secret) => `https://x.blob.core.windows.net/c?sv=2026&sig=${secret.replaceAll('/', '%2F')}&se=1`,
  ],
];

const BESIDE = [
  '',
  ' ',
  '\n',
  '\t',
  ',',
  ';',
  ')',
  ']',
  '}',
  '"',
  "'",
  '`',
  '>',
  '<',
  '|',
  '. ',
  ' é',
  ' 中',
  '\u00a0',
];

function leftOf(secret: string, text: string, around: string): string[] {
  const redacted = redactPieces(text).replaceAll('[redacted:secret]', '…');
  const left: string[] = [];
  for (let at = 0; at + TELLING <= secret.length; at += 1) {
    const part = secret.slice(at, at + TELLING);
    if (redacted.includes(part) && !around.includes(part)) left.push(part);
  }
  return left.length > 0 ? [redacted, ...left] : left;
}

describe.each(tokens.concat(OTHERS))('$kind', ({ kind, secret }) => {
  test('is redacted completely in every context', () => {
    fc.assert(
      fc.property(
        secret,
        fc.constantFrom(...ANYWHERE),
        fc.constantFrom(...BESIDE),
        fc.constantFrom(...BESIDE),
        (value, [, around], before, after) => {
          const text = around(`${before}${value}${after}`);
          expect(leftOf(value, text, around(IS_PUBLIC[kind] ?? ''))).toEqual([]);
        },
      ),
      { numRuns: runs(60) },
    );
  });
});

describe.each(NAMED)('a value that is called a secret, %s', (_, around) => {
  test('is redacted completely', () => {
    fc.assert(
      fc.property(fc.oneof(base62, base64, hex), (value) => {
        expect(leftOf(value, around(value), around(''))).toEqual([]);
      }),
      { numRuns: runs(100) },
    );
  });
});

test.each([
  ['LOOKUP_KEY=', true],
  ['lookup_key=', false],
  ['Lookup_Key=', false],
])('in %s the ending `_KEY` makes a secret only in upper case', (name, isSecret) => {
  const text = `${name}aB3dE5fG7hJ9kL2m`;
  expect(redactPieces(text) !== text).toBe(isSecret);
});
