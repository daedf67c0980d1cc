import { temporaryFolder } from '@mandate/testing';
import { expect, test } from 'vitest';
import { runCommand } from '../run-command.fixture.ts';

const issue = (...asked: string[]) =>
  runCommand(['keys', 'issue', '--data', temporaryFolder(), '--name', 'x', '--json', ...asked]);

test('a key of an auditor reads the audit and may do nothing else', async () => {
  const { exitCode, stdout } = await issue('--auditor');
  expect(exitCode).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ scopes: ['audit'], tenant: 'default' });
});

test.each([
  ['nothing is said of what it may do', [], 'Give --auditor, or --scopes'],
  ['both are said', ['--auditor', '--scopes', 'operate'], '--auditor and --scopes are both given'],
])('no key is made where %s', async (_what, asked, complaint) => {
  const { exitCode, stdout, stderr } = await issue(...asked);
  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
  expect(stderr).toContain(complaint);
});

test('the key is all that stands in stdout; its id, by which it is revoked, is said beside it', async () => {
  const folder = temporaryFolder();
  const keys = (...args: string[]) => runCommand(['keys', ...args, '--data', folder]);
  const { stdout, stderr } = await keys('issue', '--name', 'x', '--auditor');
  expect(stdout).toMatch(/^sk-mdt_\S+\n$/);
  const [, id = ''] = /^its id is (\S+): /.exec(stderr) ?? [];
  expect(await keys('revoke', id)).toMatchObject({ exitCode: 0, stdout: `revoked x (${id})\n` });
});
