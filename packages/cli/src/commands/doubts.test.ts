/** Tests the commands that warn if a document may not mean what its author intended. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@mandate/testing';
import { expect, test } from 'vitest';
import { runCommand } from '../run-command.fixture.ts';

function filesOf(files: Readonly<Record<string, string>>): string {
  const folder = temporaryFolder();
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return folder;
}

const MANDATE = 'version: 1\nid: m\nagents: ["*"]\ndeniedTools: ["rm?", "delete_[a-z]*"]\n';

test('validate warns with line and column, in text and as JSON, and still reports the file as ok', async () => {
  const file = join(filesOf({ 'm.yaml': MANDATE }), 'm.yaml');
  const { exitCode, stdout, stderr } = await runCommand(['validate', file]);
  expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: `${file}: ok (m)\n` });
  expect(stderr).toBe(
    [
      `${file}:4:15 warning: deniedTools.0: "?" matches only itself, not any character. Did you mean "rm*"?`,
      `${file}:4:22 warning: deniedTools.1: "[a-z]" matches only itself: this is not a regular expression. Only * has a meaning, and a pattern must match the whole name`,
      '',
    ].join('\n'),
  );
  const json = JSON.parse((await runCommand(['validate', '--json', file])).stdout);
  expect(json).toMatchObject({ ok: true, warnings: [{ line: 4, path: 'deniedTools.0' }, { line: 4 }] });
});

test('validate knows the tools that the other given files declare', async () => {
  const folder = filesOf({
    'tools.yaml': '{ kind: policy, version: 1, id: known, tools: [send_mail] }\n',
    'good.yaml': '{ kind: policy, version: 1, id: good, toolPolicies: { send_mail: { cost: 1 } } }\n',
    'bad.yaml': '{ kind: policy, version: 1, id: bad, toolPolicies: { send_maill: { cost: 1 } } }\n',
  });
  const file = (name: string) => join(folder, name);
  const all = await runCommand(['validate', file('good.yaml'), file('bad.yaml'), file('tools.yaml')]);
  expect(all.stderr).toMatch(/^\S+bad\.yaml:1:\d+ warning: .*did you mean "send_mail" by "send_maill"\?\n$/);
  const alone = await runCommand(['validate', file('good.yaml')]);
  expect(alone.stderr).toContain('good.yaml:1:');
  const { stdout } = await runCommand(['lint', '-f', folder]);
  expect(stdout).toContain('TOOL_NAMES_UNCONFIRMED');
  expect(stdout).not.toContain('"send_mail":');
});

test('eval warns before it decides, unless --quiet is given', async () => {
  const mandates = join(filesOf({ 'm.yaml': MANDATE }), 'm.yaml');
  const args = ['eval', '--mandates', mandates, '--actions', '/dev/null'];
  expect((await runCommand(args)).stderr).toContain(`mandate: warning: ${mandates}:4:15 deniedTools.0: "?"`);
  expect((await runCommand([...args, '--quiet'])).stderr).toBe('');
});

test('refuses to issue a key for an impossible agent name, and keeps the key file readable', async () => {
  const data = join(temporaryFolder(), 'data');
  const issue = (agents: string) =>
    runCommand(['keys', 'issue', '--data', data, '--name', 'n', '--scopes', 'publish', '--agents', agents]);
  expect(await issue('bot *')).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('U+0020 (character 4): a name holds no blank'),
  });
  const doubtful = await issue('bot-?');
  expect(doubtful.exitCode).toBe(0);
  expect(doubtful.stderr).toContain('--agents: "?" matches only itself');
  expect(JSON.parse(readFileSync(join(data, 'keys.json'), 'utf8')).keys).toHaveLength(1);
});
