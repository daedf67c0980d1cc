/** Tests that a folder with a manifest is read like a folder of agents, policies and rules. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { temporaryFolder } from '@mandate/testing';
import { expect, test } from 'vitest';
import { controlFilesIn, readControlFiles } from '../control-files.ts';

const MANIFEST = `version: "1.0"
name: tutor
intents:
  - { id: chat, triggers: { fallback: true } }
tools:
  - { id: make_cards }
specialists:
  - { id: curator, handles_intents: [chat], uses_tools: [make_cards] }
`;
const POLICY = `version: "1.0"
name: tutor-policy
roles: [{ id: user }]
tool_permissions:
  make_cards: { allowed_roles: [user], rate_limit: 5/hour }
`;
const PAIR = { 'manifest.yaml': MANIFEST, 'policy.yaml': POLICY };

function folderOf(files: Readonly<Record<string, string>>): string {
  const folder = temporaryFolder();
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return folder;
}

test('reads a manifest, ordinary documents beside it, and another manifest below it', () => {
  const folder = folderOf({
    ...PAIR,
    'policy.production.yaml': 'tool_permissions: { make_cards: { rate_limit: 1/hour } }',
    'policy.reads.yaml': '{ kind: policy, version: 1, id: reads }',
    'other.yaml': '{ kind: agent, id: bot }',
    'manifest.test.yaml': 'version: 1\ncases: []\n',
    'below/manifest.yaml': MANIFEST.replace('name: tutor', 'name: coach'),
    'below/policy.yaml': POLICY.replace('tutor-policy', 'coach-policy'),
  });
  const { documents, files, manifests, warnings } = controlFilesIn([folder]);
  expect([...documents.agents.keys()].sort()).toEqual([
    ...['bot', 'coach', 'coach.curator', 'tutor', 'tutor.curator'],
  ]);
  expect([...documents.policies.keys()].sort()).toEqual([
    ...['coach-policy', 'coach.curator', 'reads', 'tutor-policy', 'tutor.curator'],
  ]);
  expect(files.get('agent tutor')).toBe(join(folder, 'manifest.yaml'));
  expect(files.get('policy tutor-policy')).toBe(join(folder, 'policy.yaml'));
  expect([...manifests.keys()].map((one) => one.slice(folder.length)).sort()).toEqual(['', '/below']);
  expect(warnings()).toEqual([]);
});

test('reads the whole manifest if one of its files is named, and reads it once', () => {
  const folder = folderOf(PAIR);
  const paths = ['policy.yaml', 'manifest.yaml'].map((name) => join(folder, name));
  expect([...controlFilesIn(paths).documents.agents.keys()]).toEqual(['tutor', 'tutor.curator']);
});

test('applies the overlay of an environment', () => {
  const overlay = 'tool_permissions: { make_cards: { rate_limit: 1/hour } }';
  const folder = folderOf({ ...PAIR, 'policy.production.yaml': overlay });
  const rateIn = (environment?: string) =>
    readControlFiles([folder], undefined, { environment }).policies.get('tutor-policy')?.toolPolicies
      ?.make_cards?.rateLimit?.maxCalls;
  expect([rateIn(), rateIn('production')]).toEqual([5, 1]);
});

test.each([
  ['prodution', /policy\.yaml:1:1 has no overlay policy\.prodution\.yaml: .* \(ENVIRONMENT_UNKNOWN\)/],
  ['../x', /"\.\.\/x" is no name of an environment/],
])('refuses an environment without an overlay: %s', (environment, message) => {
  const folder = folderOf(PAIR);
  expect(() => controlFilesIn([folder], { environment })).toThrow(message);
});

test('refuses an environment if there is no manifest', () => {
  const folder = folderOf({ 'a.yaml': '{ kind: agent, id: bot }' });
  expect(() => controlFilesIn([folder], { environment: 'production' })).toThrow(
    /the environment "production" has no effect, because .* has no manifest\.yaml/,
  );
});

test('names all faults of manifests and of ordinary documents, each with its file, line and code', () => {
  const folder = folderOf({
    'manifest.yaml': MANIFEST.replace('uses_tools: [make_cards]', 'uses_tools: [make_card]'),
    'policy.yaml': POLICY.replace('[user]', '[usr]'),
    'bad.yaml': '{ kind: agent, id: bot, colour: red }',
  });
  const said = (lenient: boolean) => {
    try {
      return controlFilesIn([folder], { lenient });
    } catch (error) {
      return String(error).split('\n').slice(1);
    }
  };
  expect(said(false)).toEqual([
    expect.stringContaining(`${join(folder, 'bad.yaml')}:1:25 colour: is not a known field`),
    `${join(folder, 'manifest.yaml')}:8:58 specialists.0.uses_tools.0: "make_card" is not a tool of the manifest: write "make_cards", or declare it (TOOL_UNKNOWN)`,
    expect.stringMatching(/policy\.yaml:5:33 .*allowed_roles\.0: "usr" .* \(ROLE_UNKNOWN\)$/),
  ]);
  expect(said(true)).toHaveLength(1);
});

test('lets references of a lenient manifest lead nowhere, and warns of each', () => {
  const folder = folderOf({ ...PAIR, 'policy.yaml': POLICY.replace('[user]', '[user, usr]') });
  const read = controlFilesIn([folder], { lenient: true });
  expect(read.documents.policies.get('tutor-policy')?.toolPolicies?.make_cards?.roles).toEqual(['user']);
  expect(read.warnings()).toEqual([expect.stringMatching(/policy\.yaml:5:39 .*"usr".*\(ROLE_UNKNOWN\)$/)]);
  expect(read.manifestWarnings).toMatchObject([{ code: 'ROLE_UNKNOWN', line: 5, column: 39 }]);
});

test('puts the categories of memories into the policy of the manifest', () => {
  const config =
    'stores: { notes: { kind: filesystem, policies: { defaultTtl: 7 }, categories: { daily: {} } } }';
  const folder = folderOf({ ...PAIR, 'config.yaml': config });
  const { policies } = readControlFiles([folder]);
  expect(policies.get('tutor-policy')?.governance?.categories).toEqual({
    notes: { policies: { defaultTtl: 7 }, categories: { daily: {} } },
  });
  const looser = config.replace('daily: {}', 'daily: { policies: { defaultTtl: 30 } }');
  expect(controlFilesIn([folderOf({ ...PAIR, 'config.yaml': looser })]).warnings()).toEqual([
    expect.stringMatching(/config\.yaml:1:\d+ .*\(LOOSENS_PARENT\)$/),
  ]);
  const bad = { ...PAIR, 'policy.yaml': POLICY.replace('[user]', '[usr]') };
  const both = () => controlFilesIn([folderOf({ ...bad, 'config.yaml': config.replace('kind', 'knd') })]);
  expect(both).toThrow(/ROLE_UNKNOWN.*\n.*config\.yaml:1:\d+ .*FIELD_UNKNOWN/s);
  const alone = folderOf({ ...PAIR, 'config.yaml': config.replace('kind', 'knd') });
  expect(() => controlFilesIn([alone])).toThrow(/config\.yaml:1:\d+ .*FIELD_UNKNOWN/);
});

test('reads a config as an ordinary document if it states its kind', () => {
  const folder = folderOf({ ...PAIR, 'config.yaml': '{ kind: agent, id: bot }' });
  expect([...controlFilesIn([folder]).documents.agents.keys()]).toEqual(['bot', 'tutor', 'tutor.curator']);
});

test('refuses a manifest without a policy, and a document that a manifest already has', () => {
  const alone = folderOf({ 'manifest.yaml': MANIFEST });
  expect(() => controlFilesIn([alone])).toThrow(/there is .*manifest\.yaml, but no .*policy\.yaml beside it/);
  const twice = folderOf({ ...PAIR, 'agents.yaml': '{ kind: agent, id: tutor }' });
  expect(() => controlFilesIn([twice])).toThrow(/manifest\.yaml: the agent "tutor" is already in .*agents/);
});

test('reads files with these names as ordinary documents if they state their kind', () => {
  const folder = folderOf({
    'manifest.yaml': '{ kind: agent, id: bot }',
    'policy.yaml': '{ kind: policy, version: 1, id: p }',
  });
  const { documents, manifests } = controlFilesIn([folder]);
  expect([documents.agents.size, documents.policies.size, manifests.size]).toEqual([1, 1, 0]);
});
