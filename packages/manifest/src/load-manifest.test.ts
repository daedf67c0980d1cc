import { expect, test } from 'vitest';
import { codesOf, loadChanged, MANIFEST, POLICY } from './documents.fixture.ts';
import { loadManifest } from './load-manifest.ts';

const [manifest, policy] = [JSON.stringify(MANIFEST), JSON.stringify(POLICY)];

test('loads a manifest and its policy, with the defaults filled in', () => {
  const loaded = loadChanged({});
  expect(loaded).toMatchObject({ ok: true, errors: [], warnings: [] });
  if (!loaded.ok) throw new Error('refused');
  expect(loaded.manifest.intents[0]).toMatchObject({ triggers: { patterns: [], fallback: false } });
  expect(loaded.permissions.memory_policies?.read?.user_isolation).toBe(true);
});

test('reports the faults of all files, and checks no field of them', () => {
  const loaded = loadManifest({
    manifest: 'name: [',
    policy: 'a: 1\na: 2\n',
    environment: 'test',
    overlay: '# nothing\n',
  });
  expect(loaded.errors.map(({ code, file }) => [code, file])).toEqual([
    ['YAML_INVALID', 'manifest.yaml'],
    ['KEY_TWICE', 'policy.yaml'],
    ['YAML_INVALID', 'policy.test.yaml'],
  ]);
});

test('warns that a log level has no effect, in the file that states it', () => {
  const overlay = 'audit:\n  log_level: debug\n';
  const laid = loadManifest({ manifest, policy, environment: 'test', overlay });
  const ofLevel = { code: 'LOG_LEVEL_WITHOUT_EFFECT', path: 'audit.log_level' };
  expect(laid.warnings).toMatchObject([{ ...ofLevel, file: 'policy.test.yaml', line: 2, column: 3 }]);
  const own = loadChanged({ policy: { audit: { log_level: 'info' } } });
  expect(own.warnings).toMatchObject([{ ...ofLevel, file: 'policy.yaml' }]);
  expect(loadChanged({ policy: { audit: { log_events: ['output'] } } }).warnings).toEqual([]);
});

test('checks references and contradictions only if no field has a fault', () => {
  const loaded = loadChanged({
    manifest: { intents: [] },
    policy: { roles: 'user', tool_permissions: { x: {} } },
  });
  expect(codesOf(loaded.errors).toSorted()).toEqual([
    'FIELD_MISSING tool_permissions.x.allowed_roles',
    'VALUE_INVALID intents',
    'VALUE_INVALID roles',
  ]);
  expect(loaded.warnings).toEqual([]);
});

test('refuses an environment without an overlay, and an overlay that changes the name', () => {
  const unknown = loadManifest({ manifest, policy, environment: 'prod' });
  expect(codesOf(unknown.errors)).toEqual(['ENVIRONMENT_UNKNOWN ']);
  expect(codesOf(loadChanged({ overlay: { name: 'other', version: null } }).errors)).toEqual([
    'OVERLAY_RENAMES name',
    'OVERLAY_RENAMES version',
  ]);
  expect(loadChanged({ overlay: { name: 'tutor-policy' } }).ok).toBe(true);
});

test('grants nothing to an undeclared name in a lenient load', () => {
  const changes = {
    manifest: {
      entity_types: null,
      specialists: [
        {
          id: 'curator',
          handles_intents: ['cards', 'x'],
          uses_tools: ['make_cards', 'change_plan', 'x'],
          memory_access: { read: ['episodic', 'x'], write: ['x'] },
        },
      ],
    },
    policy: {
      tool_permissions: { make_cards: { allowed_roles: ['user', 'x'] }, x: { allowed_roles: [] } },
      memory_policies: {
        read: { intent_mapping: { x: ['episodic'], chat: ['x'] }, max_results: { x: 1 } },
        write: { triggers: { x: { event: 'message_sent', condition: 'always' } } },
      },
    },
  };
  const strict = loadChanged(changes);
  const lenient = loadChanged({ ...changes, mode: 'lenient' });
  expect(strict.errors).toHaveLength(11);
  if (!lenient.ok) throw new Error(JSON.stringify(lenient.errors));
  expect(codesOf(lenient.warnings)).toEqual(expect.arrayContaining(codesOf(strict.errors)));
  const { manifest, permissions } = lenient;
  expect(manifest.intents[0]?.entities[0]?.type).toBe('string');
  expect(JSON.stringify([manifest, permissions])).not.toContain('"x"');
  expect(permissions.memory_policies?.read?.intent_mapping).toEqual({ cards: ['episodic'], chat: [] });
});

test.each<[string, object, string]>([
  ['a * in the name', { name: 'a*' }, 'VALUE_INVALID name'],
  ['a * in the id of a tool', { tools: [{ id: '*' }] }, 'VALUE_INVALID tools.0.id'],
  [
    'an @ in the id of a specialist',
    { specialists: [{ id: 'a@1', handles_intents: [] }] },
    'VALUE_INVALID specialists.0.id',
  ],
  [
    'a list as memory access',
    { specialists: [{ id: 'a', handles_intents: [], memory_access: [] }] },
    'VALUE_INVALID specialists.0.memory_access',
  ],
  [
    'a blank keyword',
    { intents: [{ id: 'a', triggers: { keywords: [' '] } }] },
    'VALUE_INVALID intents.0.triggers.keywords.0',
  ],
  ['a description that is too long', { description: '語'.repeat(2_001) }, 'VALUE_INVALID description'],
  [
    'an enum without values',
    { intents: [{ id: 'a', triggers: { fallback: true }, entities: [{ name: 'e', type: 'enum' }] }] },
    'FIELD_MISSING intents.0.entities.0.values',
  ],
  [
    'a declared type with the name of a built-in one',
    { entity_types: { enum: { pattern: 'x' } } },
    'VALUE_INVALID entity_types.enum',
  ],
  [
    'values that the type does not take',
    {
      tools: [
        { id: 'make_cards', params: { p: { type: 'integer', values: [1, 2.5] } } },
        { id: 'change_plan' },
      ],
    },
    'VALUE_INVALID tools.0.params.p.values.1',
  ],
  [
    'a default of another type',
    { tools: [{ id: 'make_cards', params: { p: { type: 'string', default: [] } } }, { id: 'change_plan' }] },
    'DEFAULT_INVALID tools.0.params.p.default',
  ],
  [
    'a pattern with \\B',
    { intents: [{ id: 'a', triggers: { patterns: ['a\\B'] } }] },
    'PATTERN_REFUSED intents.0.triggers.patterns.0',
  ],
  [
    'a pattern in which \\b is uncertain',
    { entity_types: { level: { pattern: '[a歳]\\b' } } },
    'PATTERN_REFUSED entity_types.level.pattern',
  ],
  [
    'a default that its entity cannot find',
    { intents: [{ id: 'a', triggers: {}, entities: [{ name: 'e', type: 'level', default: 'N6' }] }] },
    'DEFAULT_INVALID intents.0.entities.0.default',
  ],
  [
    'a default with more words than its entity finds',
    { intents: [{ id: 'a', triggers: {}, entities: [{ name: 'e', type: 'level', default: 'N3 N4' }] }] },
    'DEFAULT_INVALID intents.0.entities.0.default',
  ],
  [
    'a default in another case than its entity has',
    { intents: [{ id: 'a', triggers: {}, entities: [{ name: 'e', type: 'level', default: 'n3' }] }] },
    'DEFAULT_INVALID intents.0.entities.0.default',
  ],
])('refuses %s', (_name, manifest, code) => {
  expect(codesOf(loadChanged({ manifest }).errors)).toContain(code);
});

test('accepts a default with letters of other scripts', () => {
  const entities = [{ name: 'e', type: 'word', default: '文法' }];
  const [cards, chat] = MANIFEST.intents;
  const manifest = { entity_types: { word: { pattern: '\\w+' } }, intents: [{ ...cards, entities }, chat] };
  expect(loadChanged({ manifest }).errors).toEqual([]);
});

test('counts characters as code points', () => {
  expect(loadChanged({ manifest: { description: '𠮷'.repeat(2_000) } }).ok).toBe(true);
});

test.each<[string, object, string]>([
  [
    'an unusual type of store',
    { memory: { stores: [{ id: 'episodic', type: 'tape', backend: 'x' }, MANIFEST.memory.stores[1]] } },
    'STORE_TYPE_UNKNOWN memory.stores.0.type',
  ],
  [
    'a tool without a permission',
    { tools: [...MANIFEST.tools, { id: 'free' }] },
    'TOOL_WITHOUT_PERMISSION tools.2',
  ],
  [
    'a pattern that matches every text',
    { intents: [{ id: 'cards', triggers: { patterns: ['.*'] } }, MANIFEST.intents[1]] },
    'PATTERN_MATCHES_EVERYTHING intents.0.triggers.patterns.0',
  ],
])('warns of %s', (_name, manifest, code) => {
  expect(codesOf(loadChanged({ manifest }).warnings)).toContain(code);
});

test('warns if a list of tools is shorter than least privilege demands', () => {
  const policy = { memory_policies: { write: { llm_cannot: ['force_save'] } } };
  expect(codesOf(loadChanged({ policy }).warnings)).toEqual([
    'PRINCIPLE_HOLDS_ALL memory_policies.write.llm_cannot',
  ]);
});

test('says what is wrong with a pattern, and names it once', () => {
  const text = manifest.replace('"keywords":["cards"]', '"patterns":["(cards"]');
  const loaded = loadManifest({ manifest: text, policy });
  expect(loaded.errors.map(({ message }) => message)).toEqual([
    'the pattern "(cards" is refused: it is no regular expression (Unterminated group): rewrite the pattern',
  ]);
});

test.each<[string, string, string]>([
  ['keywords', `[${'w,'.repeat(20_000)}]`, 'ok'],
  ['patterns with large repeats', `[${'"((a\\\\p{L}){30}){30}",'.repeat(500)}]`, 'PATTERN_REFUSED'],
])('accepts or refuses very many %s within a second', (kind, list, expected) => {
  const field = kind === 'keywords' ? 'keywords' : 'patterns';
  const text = manifest.replace('"keywords":["cards"]', `"${field}":${list}`);
  const loaded = loadManifest({ manifest: text, policy });
  expect(loaded.ok ? 'ok' : loaded.errors[0]?.code).toBe(expected);
  if (!loaded.ok) expect(loaded.errors[0]?.message).toContain('larger than 200000 steps together');
});

test('reports at most a hundred faults of a file, and says how many more there are', () => {
  const handles_intents = Array.from({ length: 5_000 }, (_, at) => `unknown-${at}`);
  const loaded = loadChanged({ manifest: { specialists: [{ id: 'a', handles_intents }] } });
  expect(loaded.errors).toHaveLength(100);
  expect(loaded.errors.at(-1)?.message).toContain('and 4900 more');
});
