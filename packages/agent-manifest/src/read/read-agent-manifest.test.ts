import { expect, test } from 'vitest';
import { readAgentManifest } from './read-agent-manifest.ts';

const AGENT = `apiVersion: coreason.ai/v2
kind: Agent
metadata: { name: Helper }
definitions:
  helper: { type: agent, name: Helper, role: r, goal: g, model: gpt-4 }
`;
const RECIPE = `apiVersion: coreason.ai/v2
kind: Recipe
metadata: { name: Two }
definitions:
  search: { type: tool, name: Search, uri: "mcp://search.example", risk_level: safe }
  writer: { type: agent, name: Writer, role: r, goal: g, model: gpt-4 }
`;

type Options = Parameters<typeof readAgentManifest>[1];

function read(text: string, options: Options = { models: [] }) {
  const read = readAgentManifest(text, options);
  return read.ok ? { faults: [], warnings: read.warnings } : { faults: read.faults, warnings: [] };
}

function faultsOf(text: string, options?: Options): string[] {
  return read(text, options).faults.map(({ code, path }) => `${code} ${path}`);
}

function warningsOf(text: string): string[] {
  const { faults, warnings } = read(text);
  expect(faults).toEqual([]);
  return warnings.map(({ code, path }) => `${code} ${path}`);
}

/** The manifest with additional fields in its agent. */
const agentWith = (fields: string) => AGENT.replace('model: gpt-4', `model: gpt-4, ${fields}`);
const skillWith = (fields: string) => `${AGENT}  s: { type: skill, name: S, description: d, ${fields} }\n`;
const packWith = (fields: string) =>
  `${AGENT}  kit: { type: tool_pack, metadata: { name: kit, description: d, author: A }, ${fields} }\n`;
const withSteps = (steps: string, policy = '') =>
  `${RECIPE}${policy}workflow:\n  start: a\n  steps:\n${steps.replace(/^(?=.)/gm, '    ')}\n`;

test('both manifests are valid as they are', () => {
  expect(warningsOf(AGENT)).toEqual([]);
  expect(warningsOf(withSteps('a: { type: agent, agent: writer }'))).toEqual([]);
});

test.each([
  ['a key twice', `${AGENT}  helper: {}\n`],
  ['a reserved key', `${AGENT}__proto__: {}\n`],
  ['a number that cannot be stored exactly', `${AGENT}policy: { max_steps: 9007199254740993 }\n`],
  ['an alias to nothing', `${AGENT}policy: *nothing\n`],
  ['YAML 1.1', `%YAML 1.1\n---\n${AGENT}`],
  ['too much nesting', `${AGENT}  deep: ${'['.repeat(70)}${']'.repeat(70)}\n`],
  ['more than 1 MiB', `${AGENT}# ${'x'.repeat(1_100_000)}`],
])('refuses a text that no document may contain: %s', (_name, text) => {
  const { faults } = read(text);
  expect(faults.map(({ code, path }) => `${code} ${path}`)).toEqual(['YAML_INVALID ']);
  expect(faults[0]?.message).not.toBe('');
});

test('refuses bytes that are not text', () => {
  const bytes = Uint8Array.of(...new TextEncoder().encode(AGENT), 0xff);
  const read = readAgentManifest(bytes);
  expect(read.ok ? [] : read.faults.map(({ code }) => code)).toEqual(['YAML_INVALID']);
});

test('refuses aliases that make the manifest large', () => {
  const aliases = Array.from({ length: 45 }, (_, at) => `  l${at}: { a: *a }\n`).join('');
  expect(faultsOf(`${AGENT}  l: { a: &a "${'x'.repeat(200_000)}" }\n${aliases}`)).toEqual(['YAML_INVALID ']);
});

test.each([
  ['a list as the document', '- a\n', ['TYPE_WRONG ']],
  ['a text as the document', 'hello\n', ['TYPE_WRONG ']],
  ['a definition that is a list', `${AGENT}  l: []\n`, ['TYPE_WRONG definitions.l']],
  ['a type that is null', `${AGENT}  l: { type: }\n`, ['TYPE_WRONG definitions.l.type']],
  ['a type that is not known', `${AGENT}  l: { type: workflow }\n`, ['VALUE_WRONG definitions.l.type']],
  ['a null for an object', `${AGENT}policy:\n`, ['TYPE_WRONG policy']],
  ['a null for a list', agentWith('tools: '), ['TYPE_WRONG definitions.helper.tools']],
  ['a null for a word', agentWith('context_strategy: '), ['TYPE_WRONG definitions.helper.context_strategy']],
  ['an empty text', AGENT.replace('role: r', 'role: ""'), ['VALUE_WRONG definitions.helper.role']],
  ['an empty text that may be empty', agentWith('backstory: ""'), []],
  ['65,536 characters outside of the first plane', agentWith(`backstory: ${'😀'.repeat(65_536)}`), []],
  [
    'a character more',
    agentWith(`backstory: ${'😀'.repeat(65_537)}`),
    ['VALUE_WRONG definitions.helper.backstory'],
  ],
  [
    'a time without a zone',
    AGENT.replace(
      'name: Helper',
      'name: H, provenance: { type: ai, generated_by: m, generated_date: "2026-01-02T03:04:05" }',
    ),
    ['VALUE_WRONG metadata.provenance.generated_date'],
  ],
  [
    'more in provenance',
    AGENT.replace('name: Helper', 'name: H, provenance: { type: ai, generated_by: m, ticket: 7, note: }'),
    [],
  ],
  [
    'a hash of 63 digits',
    agentWith(`tools: [{ uri: "mcp://x", hash: ${'a'.repeat(63)} }]`),
    ['VALUE_WRONG definitions.helper.tools.0.hash'],
  ],
  [
    'a tool of an unknown type',
    agentWith('tools: [{ type: local, uri: "mcp://x" }]'),
    ['VALUE_WRONG definitions.helper.tools.0.type'],
  ],
  [
    'an address with credentials in the place of a tool',
    agentWith('tools: ["https://ann:secret@a.example"]'),
    ['VALUE_WRONG definitions.helper.tools.0'],
  ],
  ['a tool without anything', agentWith('tools: [{}]'), ['FIELD_MISSING definitions.helper.tools.0.uri']],
  [
    'an inline tool without anything',
    agentWith('tools: [{ type: inline }]'),
    [
      'FIELD_MISSING definitions.helper.tools.0.description',
      'FIELD_MISSING definitions.helper.tools.0.name',
      'FIELD_MISSING definitions.helper.tools.0.parameters',
    ],
  ],
  [
    'an author that is a number',
    packWith('').replace('author: A', 'author: 5'),
    ['TYPE_WRONG definitions.kit.metadata.author'],
  ],
  [
    'an author without a name',
    packWith('').replace('author: A', 'author: { email: a@b.c }'),
    ['FIELD_MISSING definitions.kit.metadata.author.name'],
  ],
  [
    'a member of another type',
    packWith('tools: [{ type: agent, id: a }]'),
    [
      'FIELD_MISSING definitions.kit.tools.0.risk_level',
      'FIELD_MISSING definitions.kit.tools.0.uri',
      'VALUE_WRONG definitions.kit.tools.0.type',
    ],
  ],
  [
    'no limit of calls',
    agentWith(
      'resources: { provider: p, model_id: gpt-4, constraints: { context_window_size: 1, rate_limit_rpm: 0 } }',
    ),
    [],
  ],
])('checks the fields: %s', (_name, text, faults) => {
  expect(faultsOf(text)).toEqual(faults);
});

test.each(['a b', 'a\tb', 'a*', '\u200b', 'a'.repeat(101), ''])(
  'refuses %j as a name of a definition',
  (name) => {
    const key = JSON.stringify(name);
    const [fault, ...others] = read(`${AGENT}  ${key}: { a: 1 }\n`).faults;
    expect(others).toEqual([]);
    expect(fault).toMatchObject({ code: 'VALUE_WRONG', path: `definitions.${name}`, line: 6, column: 3 });
  },
);

test.each([
  'x.example',
  'mcp://',
  'mcp://a b',
  'https://user:pw@a.example',
  'https://user@a.example',
  'mcp:\\\\a',
  'https://a.example\\@b',
])('refuses %j as an address', (uri) => {
  expect(
    faultsOf(`${AGENT}  t: { type: tool, name: T, uri: ${JSON.stringify(uri)}, risk_level: safe }\n`),
  ).toEqual(['VALUE_WRONG definitions.t.uri']);
});

test.each([
  [
    'a Recipe without a workflow, and another fault',
    'apiVersion: coreason.ai/v2\nkind: Recipe\nmetadata: {}\n',
    ['FIELD_MISSING workflow', 'FIELD_MISSING metadata.name'],
  ],
  [
    'a workflow and a topology',
    `${withSteps('a: { type: agent, agent: writer }')}topology: {}\n`,
    ['FIELD_CONFLICT workflow'],
  ],
  [
    'the design of a step under both names',
    withSteps('a: { type: agent, agent: writer, design_metadata: {}, x-design: {} }'),
    ['FIELD_CONFLICT workflow.steps.a.design_metadata'],
  ],
  [
    'a lazy skill without a trigger',
    skillWith('instructions: i'),
    ['FIELD_MISSING definitions.s.trigger_intent'],
  ],
  ['a skill without a text', skillWith('load_strategy: user'), ['FIELD_MISSING definitions.s.instructions']],
  [
    'a skill of a pack without a text',
    packWith('skills: [{ type: skill, id: s, description: d, load_strategy: eager }]'),
    ['FIELD_MISSING definitions.kit.skills.0.instructions'],
  ],
  [
    'a summary without a prompt',
    agentWith('runtime: { memory: { strategy: summary, limit: 1 } }'),
    ['FIELD_MISSING definitions.helper.runtime.memory.summary_prompt'],
  ],
  [
    'a summary with a prompt that is null',
    agentWith('runtime: { memory: { strategy: summary, limit: 1, summary_prompt: } }'),
    ['TYPE_WRONG definitions.helper.runtime.memory.summary_prompt'],
  ],
])('checks fields that require or exclude each other: %s', (_name, text, faults) => {
  expect(faultsOf(text)).toEqual(faults);
});

test.each([
  ['a map of names', 'inputs: { topic: { type: string }, any: true, none: false }', []],
  ['a name whose schema is a text', 'inputs: { topic: string }', ['SCHEMA_INVALID interface.inputs.topic']],
  ['a name that is called type', 'inputs: { type: { type: string } }', []],
  ['a type without a map of names', 'inputs: { type: string }', ['SCHEMA_INVALID interface.inputs.type']],
  ['a whole schema', 'inputs: { type: object, properties: { topic: { type: string } } }', []],
  [
    'a fault deep in a whole schema',
    'inputs: { type: object, properties: { a: { type: strin } } }',
    ['SCHEMA_INVALID interface.inputs'],
  ],
  [
    'a whole schema named by its dialect',
    'outputs: { $schema: "https://json-schema.org/draft/2020-12/schema", type: array }',
    [],
  ],
  ['a dialect that is not known', 'outputs: { $schema: "urn:x" }', ['SCHEMA_INVALID interface.outputs']],
  [
    'a reference that leads elsewhere',
    'inputs: { a: { $ref: "https://a.example/s.json" } }',
    ['SCHEMA_INVALID interface.inputs.a'],
  ],
  [
    'a pattern that takes long',
    'inputs: { a: { type: string, pattern: "^((a{1000}){1000}){1000}$" } }',
    ['SCHEMA_INVALID interface.inputs.a'],
  ],
])('checks JSON Schemas: %s', (_name, sides, faults) => {
  expect(faultsOf(`${AGENT}interface: { ${sides} }\n`)).toEqual(faults);
});

test.each([
  ['of another type', '{ type: string }'],
  ['of no type', '{}'],
  ['that is not valid', '{ type: object, required: a }'],
])('refuses parameters of an inline tool %s', (_name, parameters) => {
  const tool = `tools: [{ type: inline, name: t, description: d, parameters: ${parameters} }]`;
  expect(faultsOf(agentWith(tool))).toEqual(['SCHEMA_INVALID definitions.helper.tools.0.parameters']);
});

test('refuses patterns that are too large together', () => {
  const pattern = '{ type: string, pattern: "^(a{500}){2}$" }';
  const inputs = Array.from({ length: 40 }, (_, at) => `i${at}: ${pattern.replace('a', `a${at}`)}`);
  const { faults } = read(`${AGENT}interface: { inputs: { ${inputs.join(', ')} } }\n`);
  expect(new Set(faults.map(({ code }) => code))).toEqual(new Set(['SCHEMA_INVALID']));
  expect(faults.length).toBeGreaterThan(10);
});

const dollar = (expression: string) => `\${${expression}}`;

test('checks conditions and templates', () => {
  const steps = (condition: string, input: string) =>
    withSteps(
      `a: { type: switch, cases: { ${JSON.stringify(condition)}: b }, default: b }\nb: { type: agent, agent: writer, inputs: { x: [${JSON.stringify(input)}] } }`,
    );
  expect(faultsOf(steps('state.score > 1', dollar('inputs.topic')))).toEqual([]);
  expect(faultsOf(steps('state.score >', dollar('nothing')))).toEqual([
    'EXPRESSION_INVALID workflow.steps.a.cases.state.score >',
    'EXPRESSION_INVALID workflow.steps.b.inputs.x.0',
  ]);
});

test.each([
  ['an agent by its name', 'a: { type: agent, agent: Writer }', []],
  [
    'an agent by a name in other letters',
    'a: { type: agent, agent: WRITER }',
    ['REFERENCE_MISSING workflow.steps.a.agent'],
  ],
  [
    'a tool in the place of an agent',
    'a: { type: agent, agent: search }',
    ['REFERENCE_WRONG_TYPE workflow.steps.a.agent'],
  ],
  [
    'a model in the place of a voter',
    'a: { type: council, voters: [gpt-4, writer] }',
    ['REFERENCE_MISSING workflow.steps.a.voters.0'],
  ],
  ['a start that is missing', 'b: { type: agent, agent: writer }', ['REFERENCE_MISSING workflow.start']],
  [
    'a key that every object inherits',
    'a: { type: agent, agent: writer, next: toString }',
    ['REFERENCE_MISSING workflow.steps.a.next'],
  ],
  [
    'an id that is not the key',
    'a: { type: agent, agent: writer, id: b }',
    ['STEP_ID_DIFFERS workflow.steps.a.id'],
  ],
])('checks references: %s', (_name, steps, faults) => {
  expect(faultsOf(withSteps(steps), { models: ['gpt-4'] })).toEqual(faults);
});

test('accepts a model in the place of an agent if the caller permits it', () => {
  const text = withSteps('a: { type: agent, agent: gpt-4-turbo }');
  const missing = ['REFERENCE_MISSING workflow.steps.a.agent'];
  expect(faultsOf(text, { models: ['gpt-4-turbo'] })).toEqual([]);
  expect(faultsOf(text, { models: ['gpt-4-turbo'], directModels: 'never' })).toEqual(missing);
  expect(faultsOf(text, { models: [] })).toEqual(missing);
  expect(faultsOf(text, { models: [], directModels: 'any' })).toEqual([]);
  const tool = text.replace('gpt-4-turbo', 'search');
  expect(faultsOf(tool, { directModels: 'any' })).toEqual(['REFERENCE_WRONG_TYPE workflow.steps.a.agent']);
});

test('knows the models of the price lists in the repository', () => {
  expect(faultsOf(withSteps('a: { type: agent, agent: gpt-4-turbo }'), {})).toEqual([]);
  expect(faultsOf(withSteps('a: { type: agent, agent: wrter }'), {})).toEqual([
    'REFERENCE_MISSING workflow.steps.a.agent',
  ]);
});

const charge = 'tools: [{ type: tool, id: charge, name: C, uri: "mcp://pay", risk_level: critical }]';

test.each([
  ['a tool of a pack by its id', `namespace: pay, ${charge}`, 'charge', []],
  ['a tool of a pack by its namespace', `namespace: pay, ${charge}`, 'pay.charge', []],
  ['a tool of a pack by its address', charge, '"MCP://pay/"', []],
  [
    'a namespace that the pack does not have',
    charge,
    'pay.charge',
    ['REFERENCE_MISSING definitions.helper.tools.0'],
  ],
  ['the pack itself', charge, 'kit', ['REFERENCE_WRONG_TYPE definitions.helper.tools.0']],
])('checks the contents of packs: %s', (_name, pack, tool, faults) => {
  expect(faultsOf(packWith(pack).replace('model: gpt-4', `model: gpt-4, tools: [${tool}]`))).toEqual(faults);
});

test.each([
  [
    'the id of a member and a key',
    `${packWith(charge)}  charge: { type: tool, name: C, uri: "mcp://c", risk_level: safe }\n`,
    ['ID_DUPLICATE definitions.charge', 'TOOL_NAME_CLASH definitions.charge'],
  ],
  [
    'the id of a member in a namespace and a key',
    `${packWith(`namespace: pay, ${charge}`)}  charge: { type: tool, name: C, uri: "mcp://c", risk_level: safe }\n`,
    ['ID_DUPLICATE definitions.charge'],
  ],
  [
    'the name of a member and an id',
    `${packWith(`namespace: pay, ${charge}`)}  t: { type: tool, id: pay.charge, name: C, uri: "mcp://c", risk_level: safe }\n`,
    ['TOOL_NAME_CLASH definitions.t'],
  ],
  [
    'two packs',
    `${packWith('id: p')}  p: { type: tool_pack, metadata: { name: p, description: d, author: A } }\n`,
    ['ID_DUPLICATE definitions.p'],
  ],
  [
    'an agent and a tool',
    `${AGENT}  t: { type: tool, id: helper, name: T, uri: "mcp://t", risk_level: safe }\n`,
    [],
  ],
  [
    'a remote tool and a definition',
    agentWith('tools: ["mcp://x.example#t"]').concat(
      '  t: { type: tool, name: T, uri: "mcp://t", risk_level: safe }\n',
    ),
    ['TOOL_NAME_CLASH definitions.helper.tools.0'],
  ],
  [
    'one remote tool of two agents',
    `${agentWith('tools: ["mcp://x.example"]')}  b: { type: agent, name: B, role: r, goal: g, tools: [{ uri: "MCP://x.example/" }] }\n`,
    [],
  ],
  [
    'two inline tools of two agents',
    `${agentWith('tools: [{ type: inline, name: t, description: d, parameters: { type: object } }]')}  b: { type: agent, name: B, role: r, goal: g, tools: [{ type: inline, name: t, description: other, parameters: { type: object } }] }\n`,
    ['TOOL_NAME_CLASH definitions.b.tools.0'],
  ],
])('finds equal names: %s', (_name, text, faults) => {
  expect(faultsOf(text)).toEqual(faults);
});

test('refuses a tool that has the name of the action of a step', () => {
  const text = withSteps('a: { type: agent, agent: writer }').replace('search: {', 'search: { id: step.a,');
  expect(faultsOf(text)).toEqual(['TOOL_NAME_CLASH definitions.search']);
});

test.each([
  [
    'agents in a circle',
    'z: { type: agent, agent: writer }\na: { type: agent, agent: writer, next: b }\nb: { type: agent, agent: writer, next: a }',
    'CYCLE workflow.steps.a',
  ],
  [
    'a switch that leads only into the circle',
    'a: { type: agent, agent: writer, next: b }\nb: { type: switch, cases: { "state.x": a }, default: b }',
    'CYCLE workflow.steps.a',
  ],
  [
    'a switch that may leave the circle',
    'b: { type: switch, cases: { "state.x": c }, default: a }\na: { type: agent, agent: writer, next: b }\nc: { type: agent, agent: writer }',
    'CYCLE_UNBOUNDED workflow.steps.b',
  ],
  [
    'a circle behind a circle',
    'a: { type: switch, cases: { "state.x": a, "state.y": b } }\nb: { type: agent, agent: writer, next: b }',
    'CYCLE_UNBOUNDED workflow.steps.a, CYCLE workflow.steps.b',
  ],
])('finds circles: %s', (_name, steps, faults) => {
  expect(faultsOf(withSteps(steps)).join(', ')).toBe(faults);
  const bounded = faults.split(', ').filter((fault) => !fault.startsWith('CYCLE_UNBOUNDED'));
  expect(faultsOf(withSteps(steps, 'policy: { max_steps: 9 }\n')).join(', ')).toBe(bounded.join(', '));
});

test('searches for circles only where each step leads to a step', () => {
  const steps = 'a: { type: switch, cases: { "state.x": nowhere }, default: a }';
  expect(faultsOf(withSteps(steps))).toEqual(['REFERENCE_MISSING workflow.steps.a.cases.state.x']);
});

test.each([
  [
    'a file of knowledge',
    agentWith('knowledge: [faq/a.txt, ./b.txt, faq/../c.txt, kb-7, "https://a.example/x"]'),
    [],
  ],
  [
    'an absolute file',
    agentWith('knowledge: [/etc/passwd]'),
    ['PATH_OUTSIDE definitions.helper.knowledge.0'],
  ],
  [
    'an address of a file',
    agentWith('knowledge: ["file:///etc/passwd"]'),
    ['PATH_OUTSIDE definitions.helper.knowledge.0'],
  ],
  [
    'a backslash',
    agentWith(String.raw`knowledge: ["..\\a"]`),
    ['PATH_OUTSIDE definitions.helper.knowledge.0'],
  ],
  ['a drive', agentWith('knowledge: ["C:/a"]'), ['PATH_OUTSIDE definitions.helper.knowledge.0']],
  [
    'instructions at an address',
    skillWith('load_strategy: user, instructions_uri: "https://a.example/SKILL.md"'),
    [],
  ],
  [
    'a script at an address',
    skillWith('load_strategy: user, instructions: i, scripts: { run: "https://a.example/x.sh" }'),
    ['PATH_OUTSIDE definitions.s.scripts.run'],
  ],
  ['a file of code', withSteps('a: { type: logic, code: ../a.py }'), ['PATH_OUTSIDE workflow.steps.a.code']],
  ['code that only ends like a file', withSteps('a: { type: logic, code: "import ../a.py" }'), []],
])('keeps files in the folder of the manifest: %s', (_name, text, faults) => {
  expect(faultsOf(text)).toEqual(faults);
});

test.each([
  [
    'a switch without a default',
    withSteps('a: { type: switch, cases: { "state.x": b } }\nb: { type: agent, agent: writer }'),
    ['NO_DEFAULT workflow.steps.a.default'],
  ],
  [
    'too few steps',
    withSteps(
      'a: { type: agent, agent: writer, next: b }\nb: { type: agent, agent: writer }',
      'policy: { max_steps: 1 }\n',
    ),
    ['MAX_STEPS_TOO_FEW policy.max_steps'],
  ],
  [
    'just enough steps',
    withSteps(
      'a: { type: switch, cases: { "state.x": b }, default: c }\nb: { type: agent, agent: writer, next: c }\nc: { type: agent, agent: writer }',
      'policy: { max_steps: 2 }\n',
    ),
    [],
  ],
  [
    'nothing to run',
    AGENT.replace(/helper: .*/, 't: { type: tool, name: T, uri: "mcp://t", risk_level: safe }'),
    ['NOTHING_TO_RUN definitions'],
  ],
  [
    'names of members',
    packWith(
      'tools: [{ type: tool, id: t, uri: "mcp://t", risk_level: safe }], skills: [{ type: skill, id: s, description: d, load_strategy: user, instructions: i }]',
    ),
    ['NAME_DEFAULTED definitions.kit.tools.0.name', 'NAME_DEFAULTED definitions.kit.skills.0.name'],
  ],
  [
    'a secret in the environment of a server',
    packWith(
      'mcp_servers: [{ name: s, command: c, env: { GITHUB_TOKEN: abc, MODE: ghp_0123456789abcdef0123, HOME: /x } }]',
    ),
    [
      'SECRET_IN_MANIFEST definitions.kit.mcp_servers.0.env.GITHUB_TOKEN',
      'SECRET_IN_MANIFEST definitions.kit.mcp_servers.0.env.MODE',
    ],
  ],
])('warns of %s', (_name, text, warnings) => {
  expect(warningsOf(text)).toEqual(warnings);
});

test('says what is wrong and what to do, and names what was probably meant', () => {
  const messageOf = (text: string) => read(text).faults[0]?.message;
  expect(messageOf(withSteps('a: { type: agent, agent: wirter }'))).toBe(
    '"wirter" is no agent of the manifest: write "writer", or define it',
  );
  expect(messageOf(agentWith('tools: [x]'))).toBe(
    '"x" is no tool of the manifest: define it, or write one that there is (none)',
  );
  expect(messageOf(agentWith('temperatur: 1'))).toMatch(/^is not a known field; known here: /);
});

test('reports at most a hundred faults, and says how many more there are', () => {
  const agents = Array.from(
    { length: 300 },
    (_, at) => `  a${at}: { type: agent, role: r, goal: g, tools: [x] }\n`,
  );
  const { faults } = read(AGENT + agents.join(''));
  expect(faults).toHaveLength(100);
  expect(faults.at(-1)?.message).toMatch(/\(and 200 more like these: correct the first ones\)$/);
});

test('returns the manifest as its author wrote it, without defaults', () => {
  const read = readAgentManifest(AGENT);
  expect(read).toMatchObject({ ok: true, files: [] });
  expect(read.ok && read.manifest).toEqual({
    apiVersion: 'coreason.ai/v2',
    kind: 'Agent',
    metadata: { name: 'Helper' },
    definitions: { helper: { type: 'agent', name: 'Helper', role: 'r', goal: 'g', model: 'gpt-4' } },
  });
});
