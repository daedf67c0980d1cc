/** Tests that a folder with agent manifests is read like a folder of agents, policies and rules. */
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { temporaryFolder } from '@mandate/testing';
import { expect, test } from 'vitest';
import { controlFilesIn, holdManifest } from '../control-files.ts';

const MANIFEST = `apiVersion: coreason.ai/v2
kind: Agent
metadata: { name: Team, requires_auth: true }
definitions:
  search: { $ref: "parts/tools.yaml#/search" }
  clerk: { type: agent, name: Clerk, role: clerk, goal: answer, model: claude-haiku-4-5, tools: [search], skills: [asking] }
  asking: { type: skill, name: Asking, description: how to ask, load_strategy: eager, instructions_uri: asking.md }
`;
const FILES = {
  'team.yaml': MANIFEST,
  'asking.md': 'Ask twice.\n',
  'parts/tools.yaml':
    'search: { type: tool, name: Search, uri: "mcp://search.example/v1", risk_level: critical }\n',
};

function folderOf(files: Readonly<Record<string, string>>): string {
  const folder = temporaryFolder();
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return folder;
}

test('returns the documents that a manifest compiles to, and treats the files that it refers to as parts of it', () => {
  const folder = folderOf({ ...FILES, 'bot.yaml': '{ kind: agent, id: bot }' });
  const { documents, files, ofManifests, agentManifests } = controlFilesIn([folder]);
  expect([...documents.agents.keys()]).toEqual(['bot', 'team', 'team.clerk']);
  expect(documents.policies.get('team.clerk')?.allowedTools).toEqual(['search']);
  expect(files.get('policy team.clerk')).toBe(join(folder, 'team.yaml'));
  expect([ofManifests.has('rule team.clerk'), ofManifests.has('agent bot')]).toEqual([true, false]);
  const { published, files: beside } = agentManifests.get('team') ?? {};
  expect(published?.files).toEqual({ 'asking.md': 'Ask twice.\n' });
  expect(Object.keys(beside ?? {}).sort()).toEqual(['asking.md', 'parts/tools.yaml']);
  expect(holdManifest([folder])).toBe(false);
});

test('a control document that only mentions the version of manifests is a control document', () => {
  const folder = folderOf({ 'bot.yaml': '{ kind: agent, id: bot, labels: { made: "coreason.ai/v2" } }' });
  const { documents, agentManifests } = controlFilesIn([folder]);
  expect([[...documents.agents.keys()], agentManifests.size]).toEqual([['bot'], 0]);
});

test('names each fault with its file, place and code', () => {
  const wrong = folderOf({ ...FILES, 'team.yaml': MANIFEST.replace('tools: [search]', 'tools: [seach]') });
  expect(() => controlFilesIn([wrong])).toThrow(
    /team\.yaml:6:\d+ definitions\.clerk\.tools\.0: .*\(REFERENCE_MISSING\)/,
  );
  const without = folderOf({ ...FILES, 'parts/tools.yaml': 'other: { type: tool }\n' });
  expect(() => controlFilesIn([without])).toThrow(/definitions\.search.*\(REF_MISSING\)/);
});

test('gives graph recipes after the manifests of their agents', () => {
  const graph = `apiVersion: coreason.ai/v2
kind: Recipe
metadata: { name: A graph }
topology: { entry_point: a, nodes: [{ type: agent, id: a, agent_ref: team.clerk }], edges: [] }
`;
  const { agentManifests } = controlFilesIn([folderOf({ ...FILES, 'a.yaml': graph })]);
  expect([...agentManifests].map(([id, { namedAgents }]) => [id, namedAgents])).toEqual([
    ['team', []],
    ['a-graph', ['team.clerk']],
  ]);
});

test('refuses a manifest whose id or documents another file has', () => {
  const twice = folderOf({ ...FILES, 'again.yaml': MANIFEST });
  expect(() => controlFilesIn([twice])).toThrow(/the agent "team" is already in .*again\.yaml/);
  const taken = folderOf({ ...FILES, 'a.yaml': '{ kind: agent, id: team.clerk }' });
  expect(() => controlFilesIn([taken])).toThrow(/the agent "team\.clerk" is already in .*a\.yaml/);
});

test('follows no path and no link out of the folder of the manifest', () => {
  const outside = folderOf({ 'tools.yaml': FILES['parts/tools.yaml'], 'secret.md': 'secret' });
  for (const [name, text] of [
    ['a link to a file', MANIFEST.replace('parts/tools.yaml', 'linked.yaml')],
    ['a link to a folder', MANIFEST.replace('parts/tools.yaml', 'linked/tools.yaml')],
    ['a link to instructions', MANIFEST.replace('asking.md', 'linked/secret.md')],
    ['a path', MANIFEST.replace('parts/tools.yaml', '../tools.yaml')],
  ] as const) {
    const folder = folderOf({ ...FILES, 'team.yaml': text });
    symlinkSync(join(outside, 'tools.yaml'), join(folder, 'linked.yaml'));
    symlinkSync(outside, join(folder, 'linked'));
    expect(() => controlFilesIn([join(folder, 'team.yaml')]), name).toThrow(/\(PATH_OUTSIDE\)/);
  }
});

test('reads no pipe and no folder, and no file that is too large', () => {
  for (const [file, text, code] of [
    ['parts', '', 'REF_NOT_A_DEFINITION'],
    ['large.yaml', 'x'.repeat(1024 * 1024 + 1), 'YAML_INVALID'],
  ] as const) {
    const files = { ...FILES, 'team.yaml': MANIFEST.replace('parts/tools.yaml', file) };
    const folder = folderOf({ ...files, ...(text !== '' && { [file]: text }) });
    expect(() => controlFilesIn([join(folder, 'team.yaml')]), file).toThrow(`(${code})`);
  }
});

test('a gate at the top of the folder holds for every manifest', () => {
  const gate = 'max_risk_level: standard\n';
  const folder = folderOf({ ...FILES, 'gate.yaml': gate });
  expect(() => controlFilesIn([folder])).toThrow(/definitions\.search.*\(GATE_VIOLATED\)/);
  const below = folderOf({ 'teams/team.yaml': FILES['asking.md'], 'teams/gate.yaml': gate });
  expect(() => controlFilesIn([below])).toThrow(/teams\/gate\.yaml: a gate holds for a whole folder/);
  const bad = folderOf({ ...FILES, 'gate.yaml': 'max_risk_level: high\n' });
  expect(() => controlFilesIn([bad])).toThrow(/gate\.yaml:1:1 max_risk_level/);
  const open = folderOf({ ...FILES, 'gate.yaml': 'max_risk_level: critical\n' });
  expect(controlFilesIn([open]).agentManifests.size).toBe(1);
});

test('warns of doubtful parts of a manifest', () => {
  const folder = folderOf({ ...FILES, 'team.yaml': MANIFEST.replace('name: Clerk, ', '') });
  expect(controlFilesIn([folder]).warnings()).toEqual([expect.stringContaining('(NAME_DEFAULTED)')]);
});
