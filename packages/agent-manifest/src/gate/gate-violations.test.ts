import { agentManifestDocument, gateDocument } from '@mandate/schemas/agent-manifest';
import { expect, test } from 'vitest';
import { gateViolations } from './gate-violations.ts';

const AGENT = { type: 'agent', name: 'W', role: 'r', goal: 'g', model: 'm' };
const PACK = { type: 'tool_pack', metadata: { name: 'k', description: 'd', author: 'a' } };
const SKILL = { type: 'skill', name: 'S', description: 'd', load_strategy: 'user', instructions: 'i' };

function violationsOf(definitions: object, gate: object, metadata: object = {}): string[] {
  const manifest = agentManifestDocument.parse({
    apiVersion: 'coreason.ai/v2',
    kind: 'Agent',
    metadata: { name: 'M', ...metadata },
    definitions,
  });
  return gateViolations(manifest, gateDocument.parse(gate)).violations.map(
    ({ rule, path, component }) => `${rule} ${path} ${component}`,
  );
}

test.each<[what: string, definitions: object, gate: object, violations: string[]]>([
  [
    'the address of a resource',
    { r: { type: 'resource', name: 'R', uri: 'https://evil.example' } },
    { allowed_domains: [] },
    ['domain_restriction definitions.r.uri r'],
  ],
  [
    'addresses of knowledge, but not its files and ids',
    { w: { ...AGENT, knowledge: ['knowledge/a.md', 'https://evil.example/a', 'kb-1'] } },
    { allowed_domains: ['good.example'] },
    ['domain_restriction definitions.w.knowledge.1 w'],
  ],
  [
    'the address of a dataset, but not its file',
    {
      v: { ...AGENT, evaluation: { golden_dataset_uri: 'data/golden.jsonl' } },
      w: { ...AGENT, id: 'x', evaluation: { golden_dataset_uri: 'https://evil.example/a' } },
    },
    { allowed_domains: ['good.example'] },
    ['domain_restriction definitions.w.evaluation.golden_dataset_uri x'],
  ],
  [
    'an address that has a scheme and no host',
    { s: { ...SKILL, instructions: undefined, instructions_uri: 'data:text/plain,hello' } },
    { allowed_domains: ['good.example'] },
    ['domain_restriction definitions.s.instructions_uri s'],
  ],
  [
    'the address of a remote tool, whichever way it is written',
    { w: { ...AGENT, tools: ['mcp://evil.example', { uri: 'mcp://evil.example' }] } },
    { allowed_domains: ['good.example'] },
    [
      'domain_restriction definitions.w.tools.0 mcp://evil.example',
      'domain_restriction definitions.w.tools.1.uri mcp://evil.example',
    ],
  ],
  [
    'tools, agents and skills within packs',
    {
      k: {
        ...PACK,
        namespace: 'kit',
        tools: [{ type: 'tool', id: 'pay', name: 'P', uri: 'mcp://evil.example', risk_level: 'standard' }],
        agents: [{ ...AGENT, id: 'clerk', tools: ['mcp://other.example'] }],
        skills: [{ ...SKILL, id: 'go', scripts: { run: 'run.sh' } }],
        mcp_servers: [{ name: 's', command: 'npx' }],
      },
    },
    { allowed_domains: ['good.example'], max_risk_level: 'safe' },
    [
      'command_restriction definitions.k.mcp_servers.0 s',
      'custom_logic_restriction definitions.k.skills.0.scripts go',
      'domain_restriction definitions.k.agents.0.tools.0 mcp://other.example',
      'domain_restriction definitions.k.tools.0.uri pay',
      'risk_level_restriction definitions.k.agents.0.tools.0 mcp://other.example',
      'risk_level_restriction definitions.k.tools.0.risk_level pay',
    ],
  ],
  [
    'a tool by the address of its definition as that definition',
    {
      t: { type: 'tool', name: 'T', uri: 'mcp://t.example', risk_level: 'safe' },
      w: { ...AGENT, tools: ['MCP://t.example/'] },
    },
    { max_risk_level: 'safe' },
    [],
  ],
  ['a skill without scripts', { s: { ...SKILL, scripts: {} } }, {}, []],
])('judges %s', (_what, definitions, gate, violations) => {
  expect(violationsOf(definitions, gate)).toEqual(violations);
});

test('asks for authentication if any tool is critical, unless the gate does not require it', () => {
  const critical = { t: { type: 'tool', name: 'T', uri: 'mcp://t.example', risk_level: 'critical' } };
  expect(violationsOf(critical, {})).toEqual(['auth_mandate_missing metadata metadata']);
  expect(violationsOf(critical, {}, { requires_auth: true })).toEqual([]);
  expect(violationsOf(critical, { require_auth_for_critical_tools: false })).toEqual([]);
});

test('lists the rules and paths in alphabetical order', () => {
  const tools = Array.from({ length: 11 }, (_, at) => `mcp://t${at}.example`);
  const found = violationsOf({ w: { ...AGENT, tools } }, { max_risk_level: 'safe', allowed_domains: [] });
  expect(found).toEqual(found.toSorted());
  expect(found).toHaveLength(22);
});

test.each([
  ['an unknown field', { max_risk: 'safe' }],
  ['a level that is none', { max_risk_level: 'high' }],
  ['a domain with a scheme', { allowed_domains: ['https://good.example'] }],
  ['a domain with a port', { allowed_domains: ['good.example:443'] }],
  ['a domain with a path', { allowed_domains: ['good.example/a'] }],
  ['a star that is not the first label', { allowed_domains: ['good.*.example'] }],
  ['a star alone', { allowed_domains: ['*'] }],
  ['null for no limit', { max_risk_level: null }],
])('refuses a gate with %s', (_what, gate) => {
  expect(gateDocument.safeParse(gate).success).toBe(false);
});
