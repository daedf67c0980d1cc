/** Tests `mandate validate` with agent manifests and graph recipes. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@mandate/testing';
import { expect, test } from 'vitest';
import { runCommand } from '../run-command.fixture.ts';

const MANIFEST = `apiVersion: coreason.ai/v2
kind: Agent
metadata: { name: Helper }
definitions:
  helper: { type: agent, role: r, goal: g, tools: [search] }
  search: { $ref: "tools.yaml#/search" }
`;
const TOOLS = 'search: { type: tool, name: S, uri: "mcp://s", risk_level: safe }\n';

function folderOf(files: Readonly<Record<string, string>>): string {
  const folder = temporaryFolder();
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return folder;
}

test('checks a manifest with the files that it refers to, and shows its warnings', async () => {
  const folder = folderOf({ 'a.yaml': MANIFEST, 'tools.yaml': TOOLS, 'b.yaml': '{ kind: agent, id: bot }' });
  const { exitCode, stdout, stderr } = await runCommand(['validate', folder]);
  expect([exitCode, stdout]).toEqual([
    0,
    `${join(folder, 'a.yaml')}: ok (agent manifest: definitions: 2, steps: 0)\n${join(folder, 'b.yaml')}: ok (agents: 1, policies: 0, rules: 0)\n`,
  ]);
  expect(stderr).toBe(
    `${join(folder, 'a.yaml')}:5:3 warning: definitions.helper.name: is missing: people see the id "helper" instead (NAME_DEFAULTED)\n`,
  );
});

test('ends with exit code 2 and names each fault with its code and its file', async () => {
  const folder = folderOf({ 'a.yaml': MANIFEST, 'tools.yaml': TOOLS.replace('safe', 'low') });
  const file = join(folder, 'a.yaml');
  const { exitCode, stdout, stderr } = await runCommand(['validate', file]);
  expect([exitCode, stdout]).toEqual([2, '']);
  expect(stderr).toMatch(
    /tools\.yaml:1:48 definitions\.search\.risk_level: must be one of .* \(VALUE_WRONG\)\n$/,
  );
  const asJson = await runCommand(['validate', '--json', file]);
  expect(asJson.exitCode).toBe(2);
  expect(JSON.parse(asJson.stdout)).toMatchObject({
    file,
    ok: false,
    faults: [{ code: 'VALUE_WRONG', file: join(folder, 'tools.yaml'), line: 1, column: 48 }],
  });
});

test('prints as JSON the parts of a valid manifest, and its warnings', async () => {
  const folder = folderOf({ 'a.yaml': MANIFEST, 'tools.yaml': TOOLS });
  const { stdout } = await runCommand(['validate', '--json', join(folder, 'a.yaml')]);
  expect(JSON.parse(stdout)).toMatchObject({
    ok: true,
    agentManifest: { definitions: 2, steps: 0 },
    warnings: [{ code: 'NAME_DEFAULTED', path: 'definitions.helper.name' }],
  });
});

test('reads a file of another version as a manifest, although it has a kind', async () => {
  const folder = folderOf({ 'a.yaml': 'apiVersion: v1\nkind: Agent\nmetadata: { name: Helper }\n' });
  const { exitCode, stderr } = await runCommand(['validate', join(folder, 'a.yaml')]);
  expect(exitCode).toBe(2);
  expect(stderr).toMatch(
    /a\.yaml:1:1 apiVersion: must be coreason\.ai\/v2: .* \(API_VERSION_UNSUPPORTED\)\n$/,
  );
});

test('checks a graph recipe', async () => {
  const recipe = `apiVersion: coreason.ai/v2
kind: Recipe
metadata: { name: Graph }
topology:
  entry_point: write
  nodes: [{ type: agent, id: write, agent_ref: research.writer }]
  edges: []
`;
  const folder = folderOf({
    'good.yaml': recipe,
    'bad.yaml': recipe.replace('entry_point: write', 'entry_point: read'),
  });
  const { exitCode, stdout, stderr } = await runCommand(['validate', folder]);
  expect([exitCode, stdout]).toEqual([
    2,
    `${join(folder, 'good.yaml')}: ok (graph recipe: nodes: 1, edges: 0)\n`,
  ]);
  expect(stderr).toMatch(/bad\.yaml:5:3 topology\.entry_point: .* \(REFERENCE_MISSING\)\n$/);
});
