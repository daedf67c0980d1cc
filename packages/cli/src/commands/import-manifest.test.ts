import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@mandate/testing';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { runCommand } from '../run-command.fixture.ts';

const REVIEWER =
  '---\nname: reviewer\ndescription: Reviews.\ntools: Read, Bash(git *), mcp__issues__get_issue\ncolor: red\n---\nBe brief.\n';

/** Writes files into a new folder. Returns the folder. */
function folderWith(files: Readonly<Record<string, string>>): string {
  const folder = temporaryFolder();
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(folder, name, '..'), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return folder;
}

describe('mandate manifest import', () => {
  test('writes a manifest, and its limits beside it', async () => {
    const folder = folderWith({ 'reviewer.md': REVIEWER });
    const out = join(folder, 'team.yaml');
    const ran = await runCommand(['manifest', 'import', join(folder, 'reviewer.md'), '--out', out]);
    const limits = join(folder, 'team.limits.yaml');
    expect(ran).toMatchObject({ exitCode: 0, stdout: `wrote ${out} and ${limits}\n` });
    const text = readFileSync(out, 'utf8');
    expect(parse(text)).toMatchObject({
      apiVersion: 'coreason.ai/v2',
      definitions: { reviewer: { type: 'agent', tools: ['Read', 'Bash', 'mcp://issues#get_issue'] } },
    });
    expect(text).toMatch(/^# Imported from claude-code /);
    expect(text).toContain('# team.limits.yaml limits these agents further.');
    expect(text).toContain(`#   ${join(folder, 'reviewer.md')}:5 color: color is not taken over`);
    expect(ran.stderr).toContain('reviewer.md:4 tools: "Bash(git *)" becomes a pattern');
    expect(readFileSync(limits, 'utf8')).toContain('id: reviewer.reviewer.imported');
    expect(await runCommand(['validate', limits])).toMatchObject({ exitCode: 0 });
    writeFileSync(out, text.replace('role: reviewer', 'role: reviewer\n    model: claude-haiku-4-5'));
    const cases = [
      'version: 1',
      'cases:',
      '  - name: the limits narrow what the manifest allows',
      '    agent: reviewer.reviewer',
      '    steps:',
      '      - { ask: { tool: Read }, expect: ALLOW }',
      '      - { ask: { tool: Write }, expect: UNKNOWN_TOOL }',
      '      - { ask: { tool: Bash, args: { command: git log } }, expect: APPROVAL_REQUIRED }',
      '      - { ask: { tool: Bash, args: { command: rm x } }, expect: ARGUMENT_VALIDATION_FAILED }',
    ];
    writeFileSync(join(folder, 'team.test.yaml'), cases.join('\n'));
    expect(await runCommand(['test', folder])).toMatchObject({
      stderr: '',
      stdout: expect.stringContaining('1 case: 1 passed'),
    });
  });

  test('shows the manifest without --out, and says that limits are not in it', async () => {
    const { exitCode, stdout, stderr } = await runCommand(
      ['manifest', 'import', '-', '--from', 'claude-code'],
      {
        stdin: REVIEWER,
      },
    );
    expect(exitCode).toBe(0);
    expect(parse(stdout)).toMatchObject({ metadata: { name: 'reviewer' } });
    expect(stderr).toContain('1 policy of these agents are not in the manifest');
  });

  test('prints JSON with everything that was found', async () => {
    const { stdout } = await runCommand(['manifest', 'import', '-', '--from', 'claude-code', '--json'], {
      stdin: REVIEWER,
    });
    expect(JSON.parse(stdout)).toMatchObject({
      ok: true,
      manifest: { kind: 'Agent' },
      limits: { policies: [{ id: 'reviewer.reviewer.imported' }], rules: [{}] },
      warnings: [
        { code: 'RULE_STRICTER', line: 4 },
        { code: 'FIELD_NOT_TAKEN', line: 5 },
      ],
    });
  });

  test('never replaces a file', async () => {
    const folder = folderWith({ 'reviewer.md': REVIEWER, 'team.limits.yaml': 'mine' });
    const out = join(folder, 'team.yaml');
    const { exitCode, stderr } = await runCommand([
      'manifest',
      'import',
      join(folder, 'reviewer.md'),
      '--out',
      out,
    ]);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('already there: ')]);
    expect([existsSync(out), readFileSync(join(folder, 'team.limits.yaml'), 'utf8')]).toEqual([
      false,
      'mine',
    ]);
  });

  test('reads a folder of agents, and leaves out files that are not agents', async () => {
    const folder = folderWith({
      'a/reviewer.md': REVIEWER,
      'b.md': REVIEWER.replace('name: reviewer', 'name: b'),
      'README.md': '# Agents\n',
    });
    const { exitCode, stdout, stderr } = await runCommand(['manifest', 'import', folder, '--name', 'Team']);
    expect(exitCode).toBe(0);
    expect(Object.keys(parse(stdout).definitions)).toEqual(expect.arrayContaining(['reviewer', 'b']));
    expect(stderr).toContain(`note: ${join(folder, 'README.md')} has no frontmatter`);
    expect((await runCommand(['manifest', 'import', folderWith({})])).exitCode).toBe(2);
  });

  test('reads both files of a crew', async () => {
    const folder = folderWith({
      'agents.yaml': 'w: { role: Writer, goal: Write., backstory: You write. }\n',
      'tasks.yaml': 't: { description: Write., expected_output: A page., agent: w }\n',
    });
    for (const path of [folder, join(folder, 'agents.yaml'), join(folder, 'tasks.yaml')]) {
      const { stdout } = await runCommand(['manifest', 'import', path]);
      expect(parse(stdout)).toMatchObject({ kind: 'Recipe', workflow: { start: 't' } });
    }
  });

  test('writes the tools that servers list, if an option asks for them', async () => {
    const folder = folderWith({
      'a.md': '---\nname: a\ndescription: b\ntools: mcp__issues\n---\n',
      'tools.json':
        '{"issues": {"tools": [{"name": "get_issue", "annotations": {"readOnlyHint": true}}, {"name": "sync"}]}}',
      'bad.json': '{"issues": 3}',
    });
    const run = (...more: string[]) => runCommand(['manifest', 'import', join(folder, 'a.md'), ...more]);
    const named = await run('--servers', join(folder, 'tools.json'));
    expect(parse(named.stdout).definitions.a.tools).toEqual([]);
    expect(named.stderr).toContain('Known: get_issue, sync');
    const all = await run('--servers', join(folder, 'tools.json'), '--tools', 'all');
    expect(parse(all.stdout).definitions).toMatchObject({
      a: { tools: ['get_issue', 'mcp://issues#sync'] },
      get_issue: { risk_level: 'safe' },
    });
    const bad = await run('--servers', join(folder, 'bad.json'));
    expect([bad.exitCode, bad.stderr]).toEqual([
      2,
      expect.stringContaining('must have the tools of servers'),
    ]);
  });

  test('shows the lines that bind servers, and starts no server', async () => {
    const stdin =
      '{"mcpServers": {"issues": {"command": "npx", "args": ["issues-mcp"], "env": {"KEY": "k-1"}}}}';
    const { stdout } = await runCommand(['manifest', 'import', '-', '--from', 'mcp'], { stdin });
    expect(stdout).toContain('#   servers:\n#     issues:\n#       command: npx\n');
    expect(stdout).not.toContain('k-1');
  });

  test('names each fault with its place, and exits with 2', async () => {
    const text = '---\nname: a\ndescription: use this: always\n---\n';
    const options = { stdin: text };
    const ran = await runCommand(['manifest', 'import', '-', '--from', 'claude-code'], options);
    expect(ran).toMatchObject({ exitCode: 2, stdout: '' });
    expect(ran.stderr).toMatch(/^stdin:3:\d+ .* \(YAML_INVALID\)\n$/);
    const json = await runCommand(['manifest', 'import', '-', '--from', 'claude-code', '--json'], options);
    expect(JSON.parse(json.stdout)).toMatchObject({ ok: false, faults: [{ code: 'YAML_INVALID', line: 3 }] });
    expect((await runCommand(['manifest', 'import', '-', '--from', 'spells'], options)).exitCode).toBe(2);
  });

  test('needs a name that gives an id', async () => {
    const options = { stdin: '---\nname: 北京\ndescription: b\ntools: []\n---\n' };
    const ran = await runCommand(['manifest', 'import', '-', '--from', 'claude-code'], options);
    expect([ran.exitCode, ran.stderr]).toEqual([2, expect.stringContaining('gives no id')]);
  });
});
