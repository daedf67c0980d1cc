/** Tests the commands about agent manifests in files: `mandate manifest check`, `mandate manifest compile`. */
import { readdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadControl } from '@mandate/control';
import { temporaryFolder } from '@mandate/testing';
import { describe, expect, test } from 'vitest';
import { runCommand } from '../run-command.fixture.ts';

const MANIFEST = `apiVersion: coreason.ai/v2
kind: Recipe
metadata: { name: Refund Desk, version: "1.0.0" }
definitions:
  look: { type: tool, name: Look, uri: "mcp://look.example", risk_level: safe }
  refund: { type: tool, name: Refund, uri: "mcp://pay.example", risk_level: critical }
  clerk: { type: agent, name: Clerk, role: Clerk, goal: Help, model: gpt-4, tools: [look, refund] }
workflow:
  start: a
  steps:
    a: { type: agent, agent: clerk }
`;

/** Writes a manifest into a new folder, with texts replaced. Returns its path. */
function manifestWith(...replaced: readonly (readonly [text: string, by: string])[]): string {
  const path = join(temporaryFolder(), 'desk.yaml');
  writeFileSync(
    path,
    replaced.reduce((text, [from, by]) => text.replace(from, by), MANIFEST),
  );
  return path;
}

function gateOf(text: string): string {
  const path = join(temporaryFolder(), 'gate.yaml');
  writeFileSync(path, text);
  return path;
}

const run = (...args: readonly string[]) => runCommand(['manifest', ...args]);

describe('mandate manifest check', () => {
  test('accepts a manifest without faults', async () => {
    const file = manifestWith();
    expect(await run('check', file)).toEqual({ exitCode: 0, stdout: `${file}: ok\n`, stderr: '' });
  });

  test('names each fault with its place and code, and ends with exit code 2', async () => {
    const file = manifestWith(['[look, refund]', '[look, refunds]'], ['agent: clerk', 'agent: clark']);
    const { exitCode, stdout, stderr } = await run('check', file);
    expect([exitCode, stdout]).toEqual([2, '']);
    expect(stderr.split('\n')).toEqual([
      expect.stringMatching(/desk\.yaml:7:\d+ definitions\.clerk\.tools\.1: .*\(REFERENCE_MISSING\)$/),
      expect.stringMatching(/desk\.yaml:11:\d+ workflow\.steps\.a\.agent: .*\(REFERENCE_MISSING\)$/),
      '',
    ]);
    const json = await run('check', file, '--json');
    expect(JSON.parse(json.stdout)).toMatchObject({
      ok: false,
      faults: [{ code: 'REFERENCE_MISSING', path: 'definitions.clerk.tools.1', line: 7 }, { line: 11 }],
    });
  });

  test('prints warnings, and accepts the manifest', async () => {
    const { exitCode, stderr } = await run('check', manifestWith(['name: Clerk, ', '']));
    expect([exitCode, stderr]).toEqual([
      0,
      expect.stringMatching(/desk\.yaml:7:3 warning: .*\(NAME_DEFAULTED\)\n$/),
    ]);
  });

  test('accepts another model of a step only if the option permits it', async () => {
    const file = manifestWith(['agent: clerk', 'agent: our-model']);
    expect((await run('check', file)).exitCode).toBe(2);
    expect((await run('check', file, '--direct-models', 'any')).exitCode).toBe(0);
  });

  test('names what a gate forbids with its place, and ends with exit code 3', async () => {
    const file = manifestWith();
    const gate = gateOf('max_risk_level: standard\nallowed_domains: [look.example]\n');
    const { exitCode, stdout, stderr } = await run('check', file, '--gate', gate);
    expect([exitCode, stdout]).toEqual([3, '3 violations of the gate\n']);
    expect(stderr.split('\n')).toEqual([
      expect.stringMatching(/desk\.yaml:3:1 metadata: .*\(auth_mandate_missing\)$/),
      expect.stringMatching(/desk\.yaml:6:39 definitions\.refund\.uri: .*\(domain_restriction\)$/),
      expect.stringMatching(/desk\.yaml:6:65 definitions\.refund\.risk_level: .*\(risk_level_restriction\)$/),
      '',
    ]);
    const json = JSON.parse((await run('check', file, '--gate', gate, '--json')).stdout);
    expect(json).toMatchObject({
      ok: false,
      violations: [{ rule: 'auth_mandate_missing', path: 'metadata', component: 'metadata' }, {}, {}],
    });
    expect(
      (await run('check', file, '--gate', gateOf('require_auth_for_critical_tools: false'))).exitCode,
    ).toBe(0);
  });

  test('lists a hundred violations, and counts the others', async () => {
    const tools = Array.from({ length: 150 }, (_, at) => `"mcp://t${at}.example"`).join(', ');
    const file = manifestWith(['[look, refund]', `[${tools}]`]);
    const { exitCode, stderr } = await run('check', file, '--gate', gateOf('max_risk_level: critical'));
    expect(exitCode).toBe(3);
    expect(stderr.trim().split('\n')).toHaveLength(101);
    expect(stderr).toMatch(/and 51 more violations\n$/);
  });

  test('names the faults of a gate, and ends with exit code 2', async () => {
    const { exitCode, stderr } = await run('check', manifestWith(), '--gate', gateOf('max_risk: safe\n'));
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(/gate\.yaml:1:1 max_risk: .*max_risk_level.* \(FIELD_UNKNOWN\)/);
  });

  test('reads a manifest that is a link, and refuses a definition whose link leads out', async () => {
    const file = manifestWith();
    const link = join(temporaryFolder(), 'link.yaml');
    symlinkSync(file, link);
    expect((await run('check', link)).exitCode).toBe(0);
    const outside = join(temporaryFolder(), 'tool.yaml');
    writeFileSync(outside, '{ type: tool, name: Look, uri: "mcp://look.example", risk_level: safe }');
    const pointing = manifestWith([/look: \{.*\}/.exec(MANIFEST)?.[0] ?? '', 'look: { $ref: tool.yaml }']);
    symlinkSync(outside, join(pointing, '../tool.yaml'));
    const { exitCode, stderr } = await run('check', pointing);
    expect(exitCode).toBe(2);
    expect(stderr).toContain('(PATH_OUTSIDE)');
  });

  test('accepts a graph recipe without asking the gate, because the tools are in other manifests', async () => {
    const file = graphFile();
    const gated = await run('check', file, '--gate', gateOf('allowed_domains: []\n'));
    expect([gated.exitCode, gated.stdout]).toEqual([0, `${file}: ok\n`]);
    const { exitCode, stderr } = await run('check', graphFile('entry_point: b'));
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('(REFERENCE_MISSING)')]);
  });

  test('says which file cannot be read', async () => {
    const { exitCode, stderr } = await run('check', '/no/such/file.yaml');
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('/no/such/file.yaml')]);
  });
});

function graphFile(entry = 'entry_point: a'): string {
  const file = join(temporaryFolder(), 'graph.yaml');
  const nodes = '{ type: agent, id: a, agent_ref: desk.clerk }, { type: human, id: h, prompt: "ok?" }';
  writeFileSync(
    file,
    `apiVersion: coreason.ai/v2\nkind: Recipe\nmetadata: { name: Graph }\ntopology: { ${entry}, nodes: [${nodes}], edges: [{ source: a, target: h }] }\n`,
  );
  return file;
}

describe('mandate manifest compile', () => {
  test('compiles a graph recipe with its own limit of visits', async () => {
    const { stdout } = await run('compile', graphFile(), '--most-visits', '7', '--json');
    expect(JSON.parse(stdout)).toMatchObject({
      agents: [{ id: 'graph' }],
      confirm: [['graph', 'step.h']],
      run: { maxSteps: 7 },
    });
    const manifest = await run('compile', manifestWith(), '--most-visits', '7');
    expect([manifest.exitCode, manifest.stderr]).toEqual([2, expect.stringContaining('policy.max_steps')]);
  });

  test('prints documents that can be loaded', async () => {
    const { exitCode, stdout, stderr } = await run('compile', manifestWith(), '--budget', '5');
    expect([exitCode, stderr]).toEqual([0, '']);
    const read = loadControl(stdout);
    if (!read.ok) throw new Error(JSON.stringify(read.faults));
    expect([...read.documents.agents.keys()]).toEqual(['refund-desk', 'refund-desk.clerk']);
    expect(read.documents.policies.get('refund-desk')?.maxCostTotal).toBe(5);
    expect(read.documents.rules.get('refund-desk.clerk')?.agents).toEqual(['refund-desk.clerk']);
  });

  test('writes files with which test cases pass', async () => {
    const out = join(temporaryFolder(), 'policies/desk');
    const { exitCode, stdout } = await run('compile', manifestWith(), '--out', out);
    expect([exitCode, stdout]).toEqual([0, `6 files written below ${out}\n`]);
    writeFileSync(
      join(out, 'desk.test.yaml'),
      `version: 1
cases:
  - name: the clerk looks, and a person confirms refunds
    agent: refund-desk.clerk
    steps:
      - { ask: { tool: look }, expect: ALLOW }
      - { ask: { tool: refund }, expect: { verdict: DEFER, code: APPROVAL_REQUIRED } }
      - { ask: { tool: step.a }, expect: TOOL_NOT_ALLOWED }
      - { kill: { scope: subtree, agentId: refund-desk } }
      - { ask: { tool: look }, expect: AGENT_KILLED }
`,
    );
    expect((await runCommand(['test', out])).exitCode).toBe(0);
  });

  test('prints as JSON what only a runner can enforce', async () => {
    const options = ['--id', 'desk', '--unrated-risk', 'standard', '--json'];
    const { stdout } = await run('compile', manifestWith(), ...options);
    expect(JSON.parse(stdout)).toMatchObject({
      agents: [{ id: 'desk' }, { id: 'desk.clerk' }],
      run: { attempts: 4 },
      tools: { look: { risk: 'safe' }, refund: { risk: 'critical' } },
      confirm: [['desk.clerk', 'refund']],
      prices: {},
      warnings: [],
    });
  });

  test('replaces its own files anywhere in the folder, and refuses other documents there', async () => {
    const out = temporaryFolder();
    expect((await run('compile', manifestWith(), '--out', out)).exitCode).toBe(0);
    const moved = join(out, 'clerk.yaml');
    renameSync(join(out, 'policies/refund-desk.clerk.yaml'), moved);
    const stricter = manifestWith(['[look, refund]', '[look]']);
    expect((await run('compile', stricter, '--out', out)).exitCode).toBe(0);
    expect(readFileSync(moved, 'utf8')).not.toContain('refund:');
    expect(readdirSync(join(out, 'policies'))).toEqual(['refund-desk.yaml']);

    const renamed = manifestWith(['  clerk:', '  agent:'], ['agent: clerk', 'agent: agent']);
    const { exitCode, stderr } = await run('compile', renamed, '--out', out);
    expect(exitCode).toBe(2);
    expect(stderr).toContain('(policy refund-desk.clerk)');
    expect(readdirSync(join(out, 'agents'))).toEqual(['refund-desk.clerk.yaml', 'refund-desk.yaml']);
  });

  test('says why a manifest cannot be compiled, with the place', async () => {
    const file = manifestWith(['model: gpt-4, ', '']);
    const { exitCode, stderr, stdout } = await run('compile', file, '--json');
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(/desk\.yaml:7:3 definitions\.clerk\.model: .*\(MODEL_MISSING\)/);
    expect(JSON.parse(stdout)).toMatchObject({
      code: 'MODEL_MISSING',
      path: 'definitions.clerk.model',
      line: 7,
    });
    expect((await run('compile', file, '--default-model', 'gpt-4')).exitCode).toBe(0);
  });

  test.each([
    ['an id with a star', ['--id', 'a*'], 'COMPILE_ID_INVALID'],
    ['a negative budget', ['--budget', '-5'], 'Give dollars'],
    ['a rate of nothing', ['--usd-per-eur', '0'], 'Give the dollars of a euro'],
    ['a level that is none', ['--unrated-risk', 'high'], 'Allowed choices'],
  ])('refuses %s', async (_what, options, said) => {
    const { exitCode, stderr } = await run('compile', manifestWith(), ...options);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining(said)]);
  });
});
