import { expect, test } from 'vitest';
import { firstRule } from './first-rule.ts';
import { loadOidc } from './oidc-document.ts';

const load = (text: string) =>
  loadOidc(text, (source) => ('env' in source && source.env === 'SET' ? 'secret' : null));

const documentOf = (lines: string) =>
  `version: 1\nissuer: https://login.example\nclientId: mandate\n${lines}\n`;
const RULE = 'rules: [{ claims: { groups: ops }, role: operator }]';

test('reads a short document, and fills in the rest', () => {
  const loaded = load(documentOf(RULE));
  expect(loaded).toEqual({
    ok: true,
    document: {
      version: 1,
      issuer: 'https://login.example',
      clientId: 'mandate',
      clientSecret: null,
      scopes: [],
      label: 'Sign in with OIDC',
      name: 'sub',
      userinfo: false,
      timeoutMs: 10_000,
      rules: [{ claims: { groups: 'ops' }, tenant: 'default', role: 'operator' }],
    },
  });
});

test('reads the secret from the place that the document names', () => {
  expect(load(documentOf(`clientSecret: { env: SET }\n${RULE}`))).toMatchObject({
    document: { clientSecret: 'secret' },
  });
});

test.each([
  ['clientSecret: { env: UNSET }', 4, 'the environment has no UNSET: set it'],
  ['clientSecret: { file: /nowhere }', 4, 'the file /nowhere cannot be read, or is empty'],
  ['clientSecret: plain-text', 4, ''],
  ['colour: blue', 4, ''],
  ['url: http://console.example', 4, 'must be an address with https, or with http on this machine'],
  ['url: https://console.example/mandate', 4, 'must have no path'],
  ['scopes: ["two scopes"]', 4, 'must be a scope without spaces'],
])('names the line of a fault: %s', (line, at, message) => {
  const loaded = load(documentOf(`${line}\n${RULE}`));
  expect(loaded.ok).toBe(false);
  expect(loaded.ok ? [] : loaded.faults).toContainEqual(
    expect.objectContaining({ line: at, message: expect.stringContaining(message) }),
  );
});

test.each([
  'rules: []',
  'rules: [{ claims: {}, role: operator }]',
  'rules: [{ claims: { groups: [] }, role: operator }]',
  'rules: [{ claims: { groups: ops } }]',
  'rules: [{ claims: { groups: ops }, role: reporter }]',
  'rules: [{ claims: { groups: ops }, role: operator, refuse: true }]',
  'rules: [{ claims: { groups: ops }, refuse: false }]',
  'rules: [{ role: operator }]',
])('refuses rules that could let in the wrong people: %s', (rules) => {
  expect(load(documentOf(rules)).ok).toBe(false);
});

test.each([
  ['http://login.example', false],
  ['http://localhost.evil.example', false],
  ['http://127.0.0.1.evil.example', false],
  ['https://ann:secret@login.example', false],
  ['ftp://login.example', false],
  ['https://login.example/realms/one', true],
  ['http://127.0.0.1:3000', true],
  ['http://[::1]:3000', true],
  ['http://localhost:3000', true],
])('an issuer at %s is accepted: %j', (issuer, isAccepted) => {
  expect(load(`version: 1\nissuer: "${issuer}"\nclientId: mandate\n${RULE}\n`).ok).toBe(isAccepted);
});

const rules = [
  { claims: { sub: 'barred' }, refuse: true as const },
  {
    claims: { groups: ['admins', 'owners'], email_verified: true },
    tenant: 'default',
    role: 'admin' as const,
  },
  { claims: { groups: 'ops' }, tenant: 'acme', role: 'operator' as const },
];

test.each<[object, string | null]>([
  [{ groups: ['staff', 'ops'] }, 'operator'],
  [{ groups: 'ops' }, 'operator'],
  [{ groups: ['owners', 'ops'], email_verified: true }, 'admin'],
  [{ groups: ['owners', 'ops'], email_verified: 'true' }, 'operator'],
  [{ groups: ['owners'] }, null],
  [{ groups: ['ops '] }, null],
  [{ groups: [['ops']] }, null],
  [{ groups: { ops: true } }, null],
  [{ groups: null }, null],
  [{}, null],
  [{ sub: 'barred', groups: ['ops'] }, null],
  [Object.create({ groups: 'ops' }), null],
])('the claims %j give the role %s', (claims, role) => {
  expect(firstRule({ rules }, claims as Record<string, unknown>)?.role ?? null).toBe(role);
});
