import { expect, test } from 'vitest';
import { loadChanged } from '../documents.fixture.ts';
import { compileManifest } from './compile-manifest.ts';
import { compiledFaults } from './compiled-faults.ts';

type Changes = Parameters<typeof loadChanged>[0];

function compiled(changes: Changes = {}) {
  return compileManifest(loaded(changes));
}

function loaded(changes: Changes = {}) {
  const read = loadChanged(changes);
  if (!read.ok) throw new Error(JSON.stringify(read.errors));
  return read;
}

test('makes an agent, a policy and a rule from the manifest and from each specialist', () => {
  const { agents, policies, rules } = compiled();
  expect(agents).toEqual([
    { id: 'tutor', groups: [], labels: {} },
    { id: 'tutor.curator', groups: [], labels: {}, parent: 'tutor' },
  ]);
  expect(policies.map(({ id }) => id)).toEqual(['tutor-policy', 'tutor.curator']);
  expect(rules).toMatchObject([
    { id: 'tutor-policy', policy: 'tutor-policy', agents: ['tutor'] },
    { id: 'tutor.curator', policy: 'tutor.curator', agents: ['tutor.curator'] },
  ]);
});

test('gives a tool the roles, rate and confirmation from its permission, and the schema of its parameters', () => {
  const [policy] = compiled().policies;
  expect(policy?.tools).toEqual(['make_cards', 'change_plan']);
  const object = { type: 'object', additionalProperties: false };
  expect(policy?.toolPolicies).toEqual({
    make_cards: {
      roles: ['user'],
      rateLimit: { maxCalls: 20, windowMs: 3_600_000, scope: 'principal' },
      argumentValidation: {
        schema: { ...object, properties: { count: { type: 'integer', minimum: 1, maximum: 20 } } },
      },
    },
    change_plan: {
      roles: ['user'],
      requiresConfirmation: true,
      argumentValidation: { schema: { ...object, properties: {} } },
    },
  });
});

test('asks no person about a sensitive tool if its permission says so', () => {
  const policy = { tool_permissions: { change_plan: { requires_confirmation: false } } };
  expect(compiled({ policy }).policies[0]?.toolPolicies?.change_plan).not.toHaveProperty(
    'requiresConfirmation',
  );
});

test('a tool without a permission may not be used', () => {
  const policy = { tool_permissions: { change_plan: null } };
  expect(compiled({ policy }).policies[0]?.toolPolicies?.change_plan?.roles).toEqual([]);
});

test('allows a tool in the intents of all specialists that use the tool', () => {
  const curator = { id: 'curator', handles_intents: ['cards'], uses_tools: ['make_cards'] };
  const talker = { id: 'talker', handles_intents: ['chat', 'cards'], uses_tools: ['make_cards'] };
  const [policy] = compiled({ manifest: { specialists: [curator, talker] } }).policies;
  expect(policy?.governance?.tools).toEqual({
    make_cards: { intents: ['cards', 'chat'], defaults: { count: 5 } },
    change_plan: { intents: [] },
  });
  const [alone] = compiled({ manifest: { specialists: null } }).policies;
  expect(alone?.governance?.tools).toEqual({ make_cards: { defaults: { count: 5 } }, change_plan: {} });
});

test('limits a specialist to its tools, intents and stores', () => {
  expect(compiled().policies[1]).toEqual({
    version: 1,
    id: 'tutor.curator',
    allowedTools: ['make_cards', 'change_plan'],
    governance: {
      specialist: { handles_intents: ['cards'], memory_access: { read: ['episodic'], write: [] } },
    },
  });
});

test('puts the categories of memories into the policy of the manifest', () => {
  const categories = { notes: { policies: { defaultTtl: 7 } } };
  const made = compileManifest(loaded(), categories);
  expect(made.policies.map(({ governance }) => governance?.categories)).toEqual([categories, undefined]);
  expect(compiledFaults(made)).toEqual([]);
});

test('makes documents that the plane accepts as they are', () => {
  expect(compiledFaults(compiled())).toEqual([]);
  const described = { description: `${'x'.repeat(199)}🦉${'x'.repeat(100)}` };
  expect(compiledFaults(compiled({ manifest: described }))).toEqual([]);
});

test('reports a policy that no plane would accept, and a document that would change when it is read', () => {
  const { policies, ...others } = compiled();
  const [first, ...more] = policies as [(typeof policies)[number], ...(typeof policies)[number][]];
  const changed = (fields: object) =>
    compiledFaults({ ...others, policies: [{ ...first, ...fields }, ...more] });
  expect(changed({ allowedTools: ['a b'] })).toEqual([
    {
      kind: 'policy',
      id: 'tutor-policy',
      message: expect.stringMatching(/^makes the policy "tutor-policy", and it is refused: allowedTools\.0 /),
    },
  ]);
  const pattern = { type: 'object', properties: { a: { type: 'string', pattern: '(?=x)' } } };
  expect(
    changed({ toolPolicies: { make_cards: { argumentValidation: { schema: pattern } } } }),
  ).toMatchObject([
    { message: expect.stringContaining('toolPolicies.make_cards.argumentValidation.schema') },
  ]);
  const unusual = compiled({
    manifest: { tools: [{ id: '__proto__' }], specialists: null },
    mode: 'lenient',
  });
  expect(compiledFaults(unusual)).toMatchObject([
    { id: 'tutor-policy', message: expect.stringContaining('changes when it is read') },
  ]);
});
