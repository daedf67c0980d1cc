import { expect, test } from 'vitest';
import { filesInMemory, type ManifestFiles } from './manifest-files.ts';
import { loadAgentManifest } from './read-agent-manifest.ts';

const HEAD = 'apiVersion: coreason.ai/v2\nkind: Agent\nmetadata: { name: Helper }\ndefinitions:\n';
const TOOL = '{ type: tool, name: T, uri: "mcp://t", risk_level: safe }';
const tool = { type: 'tool', name: 'T', uri: 'mcp://t', risk_level: 'safe' };

/** The manifest is in the folder `m`, and its definition `t` refers to another file. */
function load(reference: string, files: Readonly<Record<string, string>>, main = '') {
  const text = `${HEAD}  t: { $ref: ${JSON.stringify(reference)} }\n${main}`;
  return loadAgentManifest(filesInMemory({ 'm/a.yaml': text, ...files }), 'm/a.yaml', { models: [] });
}

function faultsOf(...given: Parameters<typeof load>): string[] {
  const read = load(...given);
  return read.ok ? [] : read.faults.map(({ code, path }) => `${code} ${path}`);
}

test.each<[string, string, Record<string, string>, string?]>([
  ['another file', 'b.yaml', { 'm/b.yaml': TOOL }],
  ['a file of JSON', 'b.json', { 'm/b.json': JSON.stringify(tool) }],
  ['a folder and back', 'x/../b.yaml', { 'm/b.yaml': TOOL }],
  ['a place in this file', '#/definitions/u', {}, `  u: ${TOOL}\n`],
  ['the item of a list', 'b.yaml#/tools/1', { 'm/b.yaml': `tools: [1, ${TOOL}]` }],
  ['a name with characters that are escaped', 'b.yaml#/a~1b~0c%20d', { 'm/b.yaml': `"a/b~c d": ${TOOL}` }],
  [
    'a reference of a file below, which is read from there',
    'x/b.yaml',
    {
      'm/x/b.yaml': '{ $ref: "../c.yaml#/t" }',
      'm/c.yaml': `t: { $ref: "#/u" }\nu: ${TOOL}`,
    },
  ],
])('follows a reference to %s', (_name, reference, files, main) => {
  const read = load(reference, files, main);
  expect(read).toMatchObject({ ok: true });
  expect(read.ok && read.manifest.definitions?.t).toEqual(tool);
  expect(read.files.map((path) => path.slice(2)).toSorted()).toEqual(
    Object.keys(files)
      .map((path) => path.slice(2))
      .toSorted(),
  );
});

const AT = ['definitions.t.$ref'];

test.each<[string, string, Record<string, string>, string]>([
  ['itself', '#/definitions/t', {}, 'REF_CYCLE'],
  [
    'a circle of files',
    'b.yaml',
    { 'm/b.yaml': '{ $ref: c.yaml }', 'm/c.yaml': '{ $ref: b.yaml }' },
    'REF_CYCLE',
  ],
  [
    'a chain that leaves the folder',
    'x/b.yaml',
    { 'm/x/b.yaml': '{ $ref: ../../b.yaml }', 'b.yaml': TOOL },
    'PATH_OUTSIDE',
  ],
  ['a path that leaves the folder and returns', '../m/b.yaml', { 'm/b.yaml': TOOL }, 'PATH_OUTSIDE'],
  ['a path with backslashes', '..\\b.yaml', {}, 'PATH_OUTSIDE'],
  ['a drive', 'C:b.yaml', {}, 'PATH_OUTSIDE'],
  ['a pointer without a slash', 'b.yaml#t', { 'm/b.yaml': `t: ${TOOL}` }, 'REF_MISSING'],
  ['a pointer with a broken escape', 'b.yaml#/%', { 'm/b.yaml': `t: ${TOOL}` }, 'REF_MISSING'],
  ['an item that a list does not have', 'b.yaml#/7', { 'm/b.yaml': `[${TOOL}]` }, 'REF_MISSING'],
  ['a property that every object inherits', 'b.yaml#/toString', { 'm/b.yaml': `t: ${TOOL}` }, 'REF_MISSING'],
  ['a null', 'b.yaml#/t', { 'm/b.yaml': 't:' }, 'REF_NOT_A_DEFINITION'],
  ['a list', 'b.yaml#/t', { 'm/b.yaml': 't: []' }, 'REF_NOT_A_DEFINITION'],
  ['an object without a type', 'b.yaml#/t', { 'm/b.yaml': 't: { name: T }' }, 'REF_NOT_A_DEFINITION'],
  [
    'a reference with something beside it',
    'b.yaml',
    { 'm/b.yaml': '{ $ref: c.yaml, risk_level: safe }', 'm/c.yaml': TOOL },
    'REF_NOT_A_DEFINITION',
  ],
  ['two documents', 'b.yaml', { 'm/b.yaml': `${TOOL}\n---\n${TOOL}` }, 'YAML_INVALID'],
  ['a file without a document', 'b.yaml', { 'm/b.yaml': '# nothing\n' }, 'YAML_INVALID'],
  [
    'a number that cannot be stored exactly',
    'b.yaml',
    { 'm/b.yaml': '{ type: tool, x: 0x10 }' },
    'YAML_INVALID',
  ],
])('refuses a reference to %s', (_name, reference, files, code) => {
  expect(faultsOf(reference, files)).toEqual(AT.map((path) => `${code} ${path}`));
});

test.each([
  ['a number', '  u: { $ref: 5 }\n', 'TYPE_WRONG definitions.u.$ref'],
  ['an empty text', '  u: { $ref: "" }\n', 'VALUE_WRONG definitions.u.$ref'],
  ['a text with a field beside it', '  u: { $ref: b.yaml, name: U }\n', 'FIELD_UNKNOWN definitions.u.name'],
])('refuses a reference that is %s', (_name, main, fault) => {
  expect(faultsOf('b.yaml', { 'm/b.yaml': TOOL }, main)).toEqual([fault]);
});

test('reports faults of references and of fields together, each in its file', () => {
  const read = load(
    'b.yaml',
    { 'm/b.yaml': 'type: tool\nname: T\nuri: mcp://t\nrisk: safe\n' },
    '  u: { $ref: c.yaml }\nfoo: 1\n',
  );
  expect(
    read.ok ? [] : read.faults.map(({ code, file, path, line, column }) => [code, file, path, line, column]),
  ).toEqual([
    ['REF_MISSING', 'm/a.yaml', 'definitions.u.$ref', 6, 8],
    ['FIELD_UNKNOWN', 'm/a.yaml', 'foo', 7, 1],
    ['FIELD_MISSING', 'm/b.yaml', 'definitions.t.risk_level', 1, 1],
    ['FIELD_UNKNOWN', 'm/b.yaml', 'definitions.t.risk', 4, 1],
  ]);
});

test('names the place of a fault in the other file', () => {
  const read = load('b.yaml', { 'm/b.yaml': 'a: [\n' });
  expect(read.ok ? '' : read.faults[0]?.message).toMatch(
    /^leads to a file that cannot be read: m\/b\.yaml:\d+:\d+ /,
  );
});

test('counts a critical tool of a file as the same tool that an agent names', () => {
  const agent = '  a: { type: agent, name: A, role: r, goal: g, tools: [t, "mcp://pay"] }\n';
  const files = { 'm/b.yaml': '{ type: tool, name: T, uri: "mcp://pay", risk_level: critical }' };
  expect(faultsOf('b.yaml', files, agent)).toEqual(['TOOL_DUPLICATE definitions.a.tools.1']);
});

test('refuses a link that leads out of the folder, and something that is not a file', () => {
  const files = (read: ReturnType<ManifestFiles['read']>, leadsOut: boolean): ManifestFiles => ({
    read: (path) =>
      path === 'a.yaml'
        ? {
            found: 'source',
            source: `${HEAD}  t: { $ref: b.yaml }\n  a: { type: agent, name: A, role: r, goal: g, knowledge: [k] }\n`,
          }
        : read,
    leadsOut: () => leadsOut,
  });
  const codes = (given: ManifestFiles) => {
    const read = loadAgentManifest(given, 'a.yaml');
    return read.ok ? [] : read.faults.map(({ code, path }) => `${code} ${path}`);
  };
  expect(codes(files({ found: 'outside' }, false))).toEqual(['PATH_OUTSIDE definitions.t.$ref']);
  expect(codes(files({ found: 'other', what: 'a folder' }, false))).toEqual([
    'REF_NOT_A_DEFINITION definitions.t.$ref',
  ]);
  expect(codes(files({ found: 'source', source: TOOL }, true))).toEqual([
    'PATH_OUTSIDE definitions.a.knowledge.0',
  ]);
});

test('reports a manifest that is not among the files', () => {
  expect(loadAgentManifest(filesInMemory({}), 'a.yaml')).toMatchObject({
    ok: false,
    faults: [{ code: 'REF_MISSING', path: '' }],
  });
});

/** A chain of files, in which the last one has the definition. */
function chain(length: number): Record<string, string> {
  const files = Array.from({ length }, (_, at) => [
    `m/${at}.yaml`,
    at === length - 1 ? TOOL : `{ $ref: ${at + 1}.yaml }`,
  ]);
  return Object.fromEntries(files);
}

test('follows a chain of 1,000 files, but no longer chain', () => {
  expect(faultsOf('0.yaml', chain(1_000))).toEqual([]);
  expect(faultsOf('0.yaml', chain(1_001))).toEqual(['YAML_INVALID definitions.t.$ref']);
});

test('reads each file once', () => {
  const texts: Record<string, string> = { 'm/b.yaml': TOOL };
  const reads: string[] = [];
  const many = Array.from({ length: 500 }, (_, at) => `  t${at}: { $ref: b.yaml }\n`).join('');
  const files: ManifestFiles = {
    ...filesInMemory(texts),
    read(path) {
      reads.push(path);
      return filesInMemory({ ...texts, 'm/a.yaml': HEAD + many }).read(path);
    },
  };
  loadAgentManifest(files, 'm/a.yaml');
  expect(reads).toEqual(['m/a.yaml', 'm/b.yaml']);
});

test('refuses files that are too large together, and a definition that is inserted too often', () => {
  const large = `{ type: tool, name: T, uri: "mcp://t", risk_level: safe, description: "${'x'.repeat(60_000)}" }`;
  const many = (count: number, file: (at: number) => string) =>
    Array.from({ length: count }, (_, at) => `  t${at}: { $ref: ${file(at)} }\n`).join('');
  const files = Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`m/${at}.yaml`, large]));
  const codes = (main: string) => [
    ...new Set(faultsOf('0.yaml', files, main).map((fault) => fault.replace(/\d+/, 'N'))),
  ];
  expect(codes(many(20, (at) => `${at}.yaml`))).toEqual(['YAML_INVALID definitions.tN.$ref']);
  expect(codes(many(80, () => '0.yaml'))).toEqual(['YAML_INVALID definitions.tN.$ref']);
});
