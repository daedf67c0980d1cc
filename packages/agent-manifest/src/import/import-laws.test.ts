import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compileAgentManifest } from '../compile/compile-agent-manifest.ts';
import { importManifest } from './import-manifest.ts';
import { allowedButNotNamed } from './imported.fixture.ts';
import { IMPORT_FORMATS, type ImportFormat } from './imported.ts';

/** Field names of all formats, and some dangerous names. */
const FIELDS = [
  ...[
    'name',
    'description',
    'tools',
    'disallowedTools',
    'model',
    'permissionMode',
    'maxTurns',
    'mcpServers',
    'servers',
  ],
  ...[
    'command',
    'args',
    'env',
    'url',
    'headers',
    'mcp-servers',
    'agents',
    'toolsets',
    'type',
    'instruction',
    'models',
  ],
  ...[
    'permissions',
    'allow',
    'deny',
    'role',
    'goal',
    'backstory',
    'expected_output',
    'agent',
    'context',
    'shell',
    'mcps',
  ],
  ...[
    'component_type',
    '$component_ref',
    '$referenced_components',
    'nodes',
    'start_node',
    'control_flow_connections',
  ],
  ...[
    'inputs',
    'outputs',
    'title',
    'system_prompt',
    'llm_config',
    'skills',
    'packages',
    'identifier',
    'registryType',
  ],
  ...[
    'toolboxes',
    'tool_filter',
    'client_transport',
    'from_node',
    'to_node',
    'mapping',
    'id',
    'ref',
    'remote',
    'a',
    'b',
  ],
  ...['constructor', 'toString', 'hasOwnProperty', '__proto__'],
];

/** Values of fields: names of types, tools with and without rules, references, and strange texts. */
const WORDS = [
  ...[
    'Agent',
    'Flow',
    'Swarm',
    'ManagerWorkers',
    'SpecializedAgent',
    'StartNode',
    'EndNode',
    'LlmNode',
    'ToolNode',
  ],
  ...[
    'BranchingNode',
    'ServerTool',
    'MCPTool',
    'MCPToolBox',
    'RemoteTool',
    'mcp',
    'filesystem',
    'script',
    'npm',
    'plan',
  ],
  ...[
    'Read',
    'Bash(git *)',
    'mcp__s__t',
    'mcp__s',
    '*',
    'edit/editFiles',
    'github/*',
    'Task',
    '__proto__',
    'constructor',
  ],
  ...[
    'shell:cmd=rm *',
    'read_*',
    'https://x.example.com/mcp',
    'a',
    'b',
    '',
    ' ',
    '{topic}',
    `$${'{x}'}`,
    'Bash(',
    'a\nb',
    '\u0000',
  ],
];

const value = fc.letrec((tie) => ({
  any: fc.oneof(
    { depthSize: 'medium', withCrossShrink: true },
    fc.constantFrom(...WORDS),
    fc.constantFrom(null, true, 0, 1, -1, 1.5),
    fc.string({ maxLength: 8 }),
    fc.array(tie('any'), { maxLength: 4 }),
    fc
      .array(fc.tuple(fc.constantFrom(...FIELDS), tie('any')), { maxLength: 6 })
      .map(
        (pairs) =>
          `{${pairs.map(([key, text]) => `${JSON.stringify(key)}:${JSON.stringify(text)}`).join(',')}}`,
      )
      .map((text): unknown => JSON.parse(text)),
  ),
})).any;

const map = fc
  .uniqueArray(fc.tuple(fc.constantFrom(...FIELDS), value), { maxLength: 8, selector: ([key]) => key })
  .map(
    (pairs) =>
      `{${pairs.map(([key, member]) => `${JSON.stringify(key)}: ${JSON.stringify(member)}`).join(',\n')}}`,
  );

/** Texts of files: maps, frontmatter with maps, and any other text. */
const text = fc.oneof(
  { weight: 4, arbitrary: map },
  {
    weight: 4,
    arbitrary: fc.tuple(map, fc.string()).map(([fields, body]) => `---\n${fields}\n---\n${body}`),
  },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 200 }) },
  {
    weight: 1,
    arbitrary: fc.string({ unit: fc.constantFrom(...'{}[]:,-"\'#&*!|>%@`\n\t abc$'), maxLength: 200 }),
  },
);

/**
 * Documents that are almost valid, for each format. The names of tools come from a short list, so that lists overlap.
 */
const toolName = fc.constantFrom(
  'Read',
  'Bash',
  'read',
  'shell',
  'find',
  'read_file',
  'Task',
  '*',
  'a b',
  '__proto__',
  'x/y',
  'x/*',
);
const claudeTool = fc.oneof(
  toolName,
  fc.constantFrom('mcp__s__find', 'mcp__t__find', 'mcp__s', 'Bash(git *)', 'Read(~/x)', 'Write(a/**)'),
);
const maybe = <Value>(arbitrary: fc.Arbitrary<Value>) => fc.option(arbitrary, { nil: undefined });
const server = fc.record({
  command: maybe(fc.constantFrom('c', 'd')),
  url: maybe(fc.constantFrom('https://s.example.com', 'x')),
  tools: maybe(fc.array(toolName, { maxLength: 3 })),
});
const servers = fc.dictionary(fc.constantFrom('s', 't', 'x', 'constructor'), server, { maxKeys: 3 });
const agentName = fc.constantFrom('a', 'b', 'Read', 'find', 'constructor', 'é', '');
const key = fc.constantFrom('a', 'b', 'Read', 'find');
const markdown = (fields: unknown) => `---\n${JSON.stringify(fields)}\n---\nText.`;
const toolset = fc.record({
  type: fc.constantFrom('mcp', 'filesystem', 'shell', 'script', 'api', 'z'),
  ref: maybe(fc.constantFrom('docker:s', 't')),
  tools: maybe(fc.array(toolName, { maxLength: 3 })),
  shell: maybe(fc.dictionary(toolName, fc.constant({ cmd: 'x' }), { maxKeys: 2 })),
});
const patterns = maybe(
  fc.array(fc.constantFrom('read*', '*', 'shell:cmd=rm *', 'find', 'r?ad', 'x:y=z'), { maxLength: 3 }),
);
const specTool = fc.record({
  component_type: fc.constantFrom('ServerTool', 'MCPTool', 'RemoteTool', 'ClientTool'),
  name: toolName,
  url: maybe(fc.constantFrom('https://s.example.com/a', 'y')),
  requires_confirmation: maybe(fc.boolean()),
  client_transport: maybe(
    fc.constantFrom(
      { component_type: 'T', name: 's', url: 'https://s.example.com' },
      { $component_ref: 'q' },
    ),
  ),
});

const ALMOST: Readonly<Partial<Record<ImportFormat, fc.Arbitrary<string[]>>>> = {
  mcp: servers.map((mcpServers) => [JSON.stringify({ mcpServers })]),
  'claude-code': fc.array(
    fc
      .record({
        name: agentName,
        tools: maybe(fc.array(claudeTool, { maxLength: 6 })),
        disallowedTools: maybe(fc.array(claudeTool, { maxLength: 3 })),
        permissionMode: maybe(fc.constantFrom('plan', 'default')),
        mcpServers: maybe(servers),
      })
      .map(markdown),
    { minLength: 1, maxLength: 3 },
  ),
  copilot: fc.array(
    fc
      .record({
        name: agentName,
        tools: maybe(fc.array(toolName, { maxLength: 6 })),
        'mcp-servers': maybe(servers),
      })
      .map(markdown),
    { minLength: 1, maxLength: 3 },
  ),
  crewai: fc
    .tuple(
      fc.dictionary(
        key,
        fc.record({ role: agentName, goal: agentName, tools: maybe(fc.array(toolName, { maxLength: 3 })) }),
      ),
      fc.dictionary(
        fc.constantFrom('t', 'u', 'v'),
        fc.record({
          description: fc.string(),
          expected_output: fc.string(),
          agent: maybe(key),
          context: maybe(fc.array(fc.constantFrom('t', 'u'), { maxLength: 1 })),
        }),
      ),
    )
    .map((files) => files.map((file) => JSON.stringify(file))),
  cagent: fc
    .record({
      agents: fc.dictionary(
        key,
        fc.record({ description: agentName, toolsets: fc.array(toolset, { maxLength: 4 }) }),
      ),
      permissions: maybe(fc.record({ allow: patterns, deny: patterns, ask: patterns })),
      mcps: maybe(servers),
    })
    .map((file) => [JSON.stringify(file)]),
  'agent-spec': fc
    .record({
      component_type: fc.constant('Agent'),
      name: agentName,
      tools: fc.array(fc.oneof(specTool, fc.constant({ $component_ref: 'q' })), { maxLength: 4 }),
      $referenced_components: fc.record({ q: specTool }),
    })
    .map((file) => [JSON.stringify(file)]),
};

/** Replaces a part of a text by another. */
const damage = fc.record({ at: fc.nat(400), length: fc.nat(6), by: fc.string({ maxLength: 4 }) });

const anyFiles = fc.array(text, { minLength: 1, maxLength: 2 });

const damagedFiles = (
  files: readonly string[],
  { at, length, by }: { at: number; length: number; by: string },
) => files.map((file) => file.slice(0, at) + by + file.slice(at + length));

function expectLaws(of: ImportFormat | null, texts: readonly string[]): boolean {
  const sources = texts.map((each, at) => ({ path: `file-${at}`, text: each }));
  const result = importManifest(sources, of);
  if (!result.ok) {
    expect(result.faults.length).toBeGreaterThan(0);
    return false;
  }
  compileAgentManifest(result.manifest, { defaultModel: 'm' });
  expect(allowedButNotNamed(result, sources)).toEqual([]);
  return true;
}

const format = fc.constantFrom<ImportFormat | null>(...IMPORT_FORMATS, null);

describe('an import of any text', () => {
  test('gives a manifest or faults, and allows only tools that the text names', () => {
    fc.assert(
      fc.property(format, anyFiles, (of, files) => void expectLaws(of, files)),
      { numRuns: 500 },
    );
  });

  test.each(Object.entries(ALMOST))(
    'of the format %s gives a manifest or faults, whether the text is whole or damaged',
    (_, files) => {
      const of = IMPORT_FORMATS.find((each) => each === _) ?? null;
      let taken = 0;
      const run = (
        whole: readonly string[],
        damaged: boolean,
        how: { at: number; length: number; by: string },
      ) => {
        if (expectLaws(of, damaged ? damagedFiles(whole, how) : whole)) taken += 1;
      };
      fc.assert(fc.property(files, fc.boolean(), damage, run), { numRuns: 250 });
      expect(taken).toBeGreaterThan(25);
    },
  );

  test('gives the same answer twice', () => {
    const run = (of: ImportFormat | null, each: string) => {
      const sources = [{ path: 'a.md', text: each }];
      expect(importManifest(sources, of)).toEqual(importManifest(sources, of));
    };
    fc.assert(fc.property(format, text, run), { numRuns: 100 });
  });
});

const MIB = 1_048_576;
const many = (part: (at: number) => string, length: number) => {
  const parts: string[] = [];
  for (let size = 0, at = 0; size < length; at++) {
    parts.push(part(at));
    size += parts[at]?.length ?? 1;
  }
  return parts.join('');
};

/** Texts of almost 1 MiB that would make careless code slow. */
const HOSTILE: Readonly<Record<string, string>> = {
  'brackets of tools': `---\nname: a\ntools: ${'('.repeat(MIB - 100)}\n---\n`,
  'one long tool': `---\nname: a\ntools: ${'a'.repeat(MIB - 100)}\n---\n`,
  'many tools': `---\nname: a\ntools: ${many((at) => `mcp__s${at}__search, `, 400_000)}\n---\n`,
  'many rules': `---\nname: a\ntools: ${many((at) => `Bash(git ${at} *), `, MIB - 100)}\n---\n`,
  'comments that do not end': `{"mcpServers": ${'/*'.repeat(MIB / 2 - 20)}`,
  'texts that do not end': `{"mcpServers": "${'\\"'.repeat(MIB / 2 - 20)}`,
  'many servers': `{"mcpServers": {${many((at) => `"s${at}": {"command": "c", "args": ["--key", "${at}"]},`, 500_000)} "z": {"command": "c"}}}`,
  'servers of one name': `{"mcpServers": {${many((at) => `"s${' '.repeat(at % 90)}${at % 2 ? '-' : ''}${'!'.repeat(at % 300)}": {"command": "c${at}"},`, 500_000)} "z": {"command": "c"}}}`,
  'many unknown fields': `{"mcpServers": {"a": {"command": "c"${many((at) => `, "f${at}": 1`, 300_000)}}}}`,
  'long secrets': `{"mcpServers": {"a": {"command": "c", "args": ["-${'key'.repeat(300_000)}", "--${'-'.repeat(100_000)}"]}}}`,
  'many permissions': `agents: {a: {description: x, toolsets: [{type: filesystem, tools: [${many((at) => `t${at},`, 60_000)}]}]}}\npermissions: {deny: [${many((at) => `"*a*b${at}*",`, 60_000)}]}`,
  aliases: `a: &a [${'x,'.repeat(1_000)}]\nb: &b [${'*a,'.repeat(1_000)}]\nc: [${'*b,'.repeat(1_000)}]`,
  'deep nesting': `{"mcpServers": ${'['.repeat(100_000)}`,
  'references in a circle': `component_type: Swarm\nname: s\nfirst_agent: {$component_ref: g0}\n$referenced_components:\n${many((at) => `  g${at}: {component_type: Swarm, name: g${at}, first_agent: {$component_ref: g${at + 1}}, relationships: [[{$component_ref: g${at}}, {$component_ref: g0}]]}\n`, 300_000)}`,
  'many nodes': `component_type: Flow\nname: f\nstart_node: {$component_ref: n0}\nnodes: [${many((at) => `{$component_ref: n${at}},`, 20_000)}]\ncontrol_flow_connections: []\n$referenced_components:\n${many((at) => `  n${at}: {component_type: LlmNode, name: n, outputs: [{title: x, type: string}]}\n`, 80_000)}`,
  placeholders: `a:\n  role: r\n  goal: g\n  backstory: b\nt:\n  description: "${'{x}'.repeat(20_000)}${'$'.repeat(20_000)}"\n  expected_output: "${'{{'.repeat(10_000)}"\n`,
};

/** The formats that read the most of each text. */
const READERS: readonly (readonly [begin: RegExp, formats: readonly ImportFormat[]])[] = [
  [/^---/, ['claude-code', 'copilot']],
  [/^\{"mcpServers"/, ['mcp']],
  [/^component_type/, ['agent-spec']],
  [/^agents/, ['cagent']],
  [/^/, ['crewai']],
];

describe('a hostile text of up to 1 MiB', () => {
  test.each(Object.entries(HOSTILE))('with %s is read quickly', (_, hostile) => {
    const [, formats = []] = READERS.find(([begin]) => begin.test(hostile)) ?? [];
    for (const of of formats) {
      const begin = performance.now();
      importManifest([{ path: 'a', text: hostile }], of, { tools: 'all' });
      // A careless import would take minutes. The limit is high enough for a busy machine.
      expect(performance.now() - begin, of).toBeLessThan(20_000);
    }
  });
});
