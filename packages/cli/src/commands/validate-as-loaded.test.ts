/**
 * Tests that `mandate validate` reports the same faults in a file as the plane that reads the file: for each kind of
 * file, and for many kinds of faults.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openRulesFile } from '@mandate/alerter';
import { foldControl } from '@mandate/control';
import { openMandatesFile } from '@mandate/decider';
import { readControlFiles } from '@mandate/documents';
import { applyFiles } from '@mandate/plane';
import { openPrivacyFile } from '@mandate/privacy';
import { silentLogger } from '@mandate/runtime';
import { temporaryFolder } from '@mandate/testing';
import { describe, expect, test } from 'vitest';
import { runCommand } from '../run-command.fixture.ts';

const log = silentLogger();
const KEY = 'a key of 16 or more';

/** Opens a file as the plane does when it starts. */
type Open = (path: string) => unknown;

const openMandates: Open = (path) => openMandatesFile({ path, log }).stop();
const openPrivacy: Open = (path) => {
  const hashing = { key: KEY, setting: 'MANDATE_PLANE_HASH_KEY' };
  openPrivacyFile({ PRIVACY_PATH: path }, { folder: { privacy: path }, log, hashing }).stop();
};
const openRules: Open = (path) =>
  openRulesFile({ ALERTER_RULES_PATH: path }, { folder: { alerts: path }, env: ENV, log }).stop();
const openControl: Open = (path) => {
  const fold = foldControl();
  let revision = 0;
  const followed = { tenant: fold.tenant, change: async (record: never) => fold.apply(record, ++revision) };
  return applyFiles(readControlFiles([path]), { followed, clock: () => 0, log } as never);
};

const ENV = { OPS: `whsec_${Buffer.alloc(32, 7).toString('base64')}`, MANDATE_PLANE_HASH_KEY: KEY };
const ALERTS = 'version: 1\nwebhooks: [{ name: a, url: "https://a.example", secrets: [{ env: OPS }] }]\n';
const deep = (depth: number) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;
const policy = (fields: string) => `kind: policy\nversion: 1\nid: p\n${fields}\n`;
const withSchema = (schema: string) =>
  policy(`toolPolicies: { t: { argumentValidation: { schema: ${schema} } } }`);

const KINDS: readonly (readonly [
  kind: string,
  name: string,
  good: string,
  open: Open,
  own: readonly string[],
])[] = [
  [
    'mandates',
    'mandates.yaml',
    'version: 1\nid: m\nagents: ["*"]\n',
    openMandates,
    ['version: 1\nid: m\n', 'version: 1\nid: m\nagents: []\n', 'version: 1\nid: m\nagents: ["a b"]\n'],
  ],
  [
    'privacy',
    'privacy.yaml',
    'version: 1\npatterns: [{ pattern: email, do: hash }]\n',
    openPrivacy,
    [
      'version: 1\npatterns: [{ pattern: phone, countries: [ZZ], do: hash }]\n',
      'version: 1\nfields: [{ path: principal.id, do: redact }]\n',
      'version: 1\nretention: { acme: { keepMonths: 0 } }\n',
      'version: 1\n---\nversion: 1\n',
    ],
  ],
  [
    'rules of alerts',
    'alerts.yaml',
    ALERTS,
    openRules,
    [
      ALERTS.replace('https', 'ftp'),
      `${ALERTS}rules: { lag: { lateMs: 0 } }\n`,
      `${ALERTS}---\n${ALERTS}`,
      ALERTS.replace('{ env: OPS }', '{ env: MANDATE_OPS }'),
    ],
  ],
  [
    'agents, policies and rules',
    'policies.yaml',
    policy('allowedTools: [read]'),
    openControl,
    [
      policy('allowedTools: ["read "]'),
      policy('tolPolicies: {}'),
      withSchema('{ type: nothing }'),
      // A YAML file may be this deep, but a record on the log may not.
      withSchema(`{ default: ${deep(57)} }`),
      'kind: rule\nversion: 1\nid: r\n',
      `${policy('')}---\n${policy('')}`,
      'kind: agent\nid: "a*"\n',
    ],
  ],
];

/** Changes that make a good file of any kind bad. */
const SPOILT: readonly (readonly [what: string, spoil: (good: string) => string | Buffer])[] = [
  ['nothing', () => ''],
  ['only comments', () => '# to be written\n'],
  ['only marks', () => '---\n---\n'],
  ['another version', (good) => good.replace('version: 1', 'version: 2')],
  ['an unknown field', (good) => `${good}hope: true\n`],
  ['a field twice', (good) => `${good}version: 1\n`],
  ['an empty document first', (good) => `---\n---\n${good}`],
  ['a document that is null', (good) => `${good}---\n~\n`],
  ['a list', (good) => `- ${good.replaceAll('\n', '\n  ').trimEnd()}\n`],
  ['broken YAML', (good) => `${good}a: [\n`],
  ['a tab', (good) => `${good}\tb: 1\n`],
  ['YAML 1.1', (good) => `%YAML 1.1\n---\n${good}`],
  ['an alias to nothing', (good) => `${good}a: *b\n`],
  ['too many bytes', (good) => `${good}# ${'x'.repeat(1_100_000)}\n`],
  ['too deep a list', (good) => `${good}a: ${'['.repeat(80)}${']'.repeat(80)}\n`],
  ['Latin-1', (good) => Buffer.from(`${good}# ü\n`, 'latin1')],
  ['UTF-16', (good) => Buffer.from(`\ufeff${good}`, 'utf16le')],
  ['a NUL', (good) => `${good}a: "\0"\n`],
];

const FINE: readonly (readonly [what: string, change: (good: string) => string])[] = [
  ['as it is', (good) => good],
  ['with a byte order mark', (good) => `\ufeff${good}`],
  ['with line ends of Windows', (good) => good.replaceAll('\n', '\r\n')],
  ['with a mark at the end', (good) => `${good}---\n`],
  ['with a mark at its beginning', (good) => `# a\n---\n${good}`],
];

async function both(name: string, open: Open, text: string | Buffer) {
  const path = join(temporaryFolder(), name);
  writeFileSync(path, text);
  const { exitCode, stderr } = await runCommand(['validate', path], { env: ENV });
  let plane = '';
  try {
    await open(path);
  } catch (error) {
    plane = String(error);
  }
  return { exitCode, said: stderr.trim().split('\n'), plane };
}

/** Removes the parts of a message that depend on the kind of the file. */
function kindless(text: string): string {
  return text.replace(/holds no [a-z, ]+:|A document here .*/g, '');
}

describe.each(KINDS)('%s', (_kind, name, good, open, own) => {
  const bad = [
    ...SPOILT.map(([what, spoil]) => [what, spoil(good)] as const),
    ...own.map((text) => [text, text] as const),
  ];

  test.each(bad)(
    'validate and the plane refuse a bad file with the same message: %j',
    async (_what, text) => {
      const { exitCode, said, plane } = await both(name, open, text);
      expect(exitCode).toBe(2);
      for (const line of said) expect(kindless(plane)).toContain(kindless(line));
    },
  );

  test.each(FINE)('validate and the plane accept a good file %s', async (_how, change) => {
    expect(await both(name, open, change(good))).toEqual({ exitCode: 0, said: [''], plane: '' });
  });
});

test('validate prints a note about a setting that is only in the environment of the plane', async () => {
  const path = join(temporaryFolder(), 'privacy.yaml');
  writeFileSync(path, 'version: 1\npatterns: [{ pattern: email, do: hash }]\n');
  const { exitCode, stderr } = await runCommand(['validate', path]);
  expect(exitCode).toBe(0);
  expect(stderr).toBe(
    `${path}: note: patterns.0.do: hash needs a key: set MANDATE_PLANE_HASH_KEY, or the plane refuses the document\n`,
  );
});
