/** Tests the commands that compare, draw, hash and show agent manifests and graph recipes in files. */
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@mandate/testing';
import { expect, test } from 'vitest';
import { runCommand } from '../run-command.fixture.ts';

const MANIFEST = `apiVersion: coreason.ai/v2
kind: Recipe
metadata: { name: Team, version: "1.0.0" }
policy: { max_steps: 5 }
definitions:
  look: { type: tool, name: Look, uri: "mcp://look", risk_level: safe }
  pay: { type: tool, name: Pay, uri: "mcp://pay", risk_level: critical }
  w: { type: agent, name: W, role: r, goal: g, tools: [look] }
workflow:
  start: a
  steps:
    a: { type: agent, agent: w }
`;

const GRAPH = `apiVersion: coreason.ai/v2
kind: Recipe
metadata: { name: Flow }
topology:
  entry_point: a
  nodes:
    - { type: human, id: a, prompt: "ok?" }
    - { type: agent, id: b, agent_ref: team.w }
  edges: [{ source: a, target: b }]
`;

function filesOf(texts: Record<string, string>): (name: string) => string {
  const folder = temporaryFolder();
  for (const [name, text] of Object.entries(texts)) writeFileSync(join(folder, name), text);
  return (name) => join(folder, name);
}

test('diff shows what changed, and marks what is wider', async () => {
  const wider = MANIFEST.replace('tools: [look]', 'tools: [look, pay]').replace('"1.0.0"', '"2.0.0"');
  const path = filesOf({ 'old.yaml': MANIFEST, 'new.yaml': wider });
  const args = ['manifest', 'diff', path('old.yaml'), path('new.yaml')];
  expect(await runCommand(args)).toEqual({
    exitCode: 0,
    stdout: `+ FEATURE definitions.w.tools.pay  ! wider
~ PATCH metadata.version
2 changes, 1 wider
`,
    stderr: '',
  });
  const { exitCode, stdout } = await runCommand([...args, '--json']);
  expect([exitCode, JSON.parse(stdout)]).toEqual([
    0,
    {
      old: path('old.yaml'),
      new: path('new.yaml'),
      changes: [
        { path: 'definitions.w.tools.pay', category: 'FEATURE', change: 'added', widens: true },
        { path: 'metadata.version', category: 'PATCH', change: 'changed', widens: null },
      ],
      highest: 'FEATURE',
      widens: true,
    },
  ]);
});

test('diff fails on the categories that --fail-on names, and still shows the changes', async () => {
  const path = filesOf({
    'old.yaml': MANIFEST,
    'new.yaml': MANIFEST.replace('max_steps: 5', 'max_steps: 4'),
  });
  const diff = (...more: string[]) =>
    runCommand(['manifest', 'diff', path('old.yaml'), path('new.yaml'), ...more]);
  expect(await diff('--fail-on', 'BREAKING,GOVERNANCE')).toMatchObject({
    exitCode: 3,
    stdout: expect.stringContaining('policy.max_steps'),
  });
  expect((await diff('--fail-on', 'BREAKING, PATCH')).exitCode).toBe(0);
  expect(await diff('--fail-on', 'governance')).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('Give some of BREAKING, GOVERNANCE, RESOURCE, FEATURE, PATCH, WIDER'),
  });
  const same = ['manifest', 'diff', path('old.yaml'), path('old.yaml')];
  expect(await runCommand(same)).toEqual({ exitCode: 0, stdout: 'nothing changed\n', stderr: '' });
});

test.each([
  ['a feature', MANIFEST.replace('tools: [look]', 'tools: [look, pay]'), 3],
  ['a limit', MANIFEST.replace('max_steps: 5', 'max_steps: 6'), 3],
  ['a lower limit', MANIFEST.replace('max_steps: 5', 'max_steps: 4'), 0],
  ['a version', MANIFEST.replace('"1.0.0"', '"2.0.0"'), 0],
])('diff with --fail-on WIDER fails only if an agent gets more: %s', async (_what, now, exitCode) => {
  const path = filesOf({ 'old.yaml': MANIFEST, 'new.yaml': now });
  const diff = ['manifest', 'diff', path('old.yaml'), path('new.yaml'), '--fail-on'];
  expect((await runCommand([...diff, 'WIDER'])).exitCode).toBe(exitCode);
  expect((await runCommand([...diff, 'BREAKING,WIDER'])).exitCode).toBe(exitCode);
  expect((await runCommand(['manifest', 'diff', '--help'])).stdout).toContain('WIDER');
});

test('diff compares graph recipes, and a manifest with a graph recipe', async () => {
  const around = GRAPH.replace('entry_point: a', 'entry_point: b');
  const path = filesOf({ 'team.yaml': MANIFEST, 'old.yaml': GRAPH, 'new.yaml': around });
  const diff = (...names: string[]) => runCommand(['manifest', 'diff', ...names.map(path)]);
  expect((await diff('old.yaml', 'new.yaml')).stdout).toBe(`~ GOVERNANCE topology.entry_point
~ GOVERNANCE topology.nodes.a  ! wider
2 changes, 1 wider
`);
  expect((await diff('team.yaml', 'old.yaml')).stdout).toContain(`- BREAKING workflow
~ GOVERNANCE metadata.name
+ GOVERNANCE topology  ! wider
`);
});

test('chart, hash and show accept both forms of a manifest', async () => {
  const path = filesOf({ 'team.yaml': MANIFEST, 'flow.yaml': GRAPH });
  const run = async (...args: string[]) => (await runCommand(['manifest', ...args])).stdout;
  expect(await run('chart', path('team.yaml'))).toBe(
    'flowchart TD\n  start([start])\n  end_([end])\n  start --> s0\n  s0["a<br/>agent: w"]\n  s0 --> end_\n',
  );
  expect(JSON.parse(await run('chart', path('flow.yaml'), '--json')).mermaid).toContain(
    's0[/"a<br/>human"/]',
  );
  const hash = await run('hash', path('team.yaml'));
  expect(hash).toMatch(/^[0-9a-f]{64}\n$/);
  expect(JSON.parse(await run('hash', path('team.yaml'), '--json'))).toEqual({
    file: path('team.yaml'),
    hash: hash.trim(),
  });
  expect(JSON.parse(await run('show', path('team.yaml')))).toMatchObject({
    policy: { max_steps: 5, max_retries: 3, human_in_the_loop: false },
    definitions: { w: { id: 'w', context_strategy: 'hybrid', capabilities: { history_support: true } } },
  });
  expect(JSON.parse(await run('show', path('flow.yaml'), '--json'))).toMatchObject({
    metadata: { name: 'Flow', version: '0.1.0' },
    policy: { max_retries: 0, execution_mode: 'sequential' },
  });
});

test('reads definitions of other files below the folder, and refuses a link that leads out', async () => {
  const path = filesOf({
    'team.yaml': MANIFEST.replace(/ {2}w: .*\n/, '  w: { $ref: "parts/w.yaml#/" }\n'),
    'secret.yaml': 'w: { type: agent, name: W, role: r, goal: g }\n',
  });
  mkdirSync(path('parts'));
  writeFileSync(path('parts/w.yaml'), '"": { type: agent, name: W, role: r, goal: g }\n');
  expect((await runCommand(['manifest', 'hash', path('team.yaml')])).exitCode).toBe(0);
  const outside = filesOf({ 'w.yaml': '"": { type: agent, name: W, role: r, goal: g }\n' });
  const linked = filesOf({ 'team.yaml': MANIFEST.replace(/ {2}w: .*\n/, '  w: { $ref: "w.yaml#/" }\n') });
  symlinkSync(outside('w.yaml'), linked('w.yaml'));
  expect(await runCommand(['manifest', 'hash', linked('team.yaml')])).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('PATH_OUTSIDE'),
  });
});

test('names each fault of a file with its place, on one line each with --json', async () => {
  const path = filesOf({ 'team.yaml': MANIFEST.replace('agent: w', 'agent: v'), 'good.yaml': MANIFEST });
  const args = ['manifest', 'diff', path('good.yaml'), path('team.yaml')];
  const { exitCode, stdout, stderr } = await runCommand(args);
  expect([exitCode, stdout]).toEqual([2, '']);
  expect(stderr).toContain(`${path('team.yaml')}:12:23 workflow.steps.a.agent: `);
  expect(stderr).toContain('(REFERENCE_MISSING)');
  const asJson = await runCommand([...args, '--json']);
  expect(JSON.parse(asJson.stdout)).toMatchObject({
    code: 'REFERENCE_MISSING',
    file: path('team.yaml'),
    line: 12,
    column: 23,
  });
  const any = await runCommand(['manifest', 'hash', path('team.yaml'), '--direct-models', 'any']);
  expect(any.exitCode).toBe(0);
});
