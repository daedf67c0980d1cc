import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ROLES } from '@mandate/schemas';
import { temporaryFolder } from '@mandate/testing';
import { expect, onTestFinished, test } from 'vitest';
import { runCommand } from '../run-command.fixture.ts';

const issue = (...asked: string[]) =>
  runCommand(['keys', 'issue', '--data', temporaryFolder(), '--name', 'x', '--json', ...asked]);

test('a key of an auditor reads the audit and may do nothing else', async () => {
  const { exitCode, stdout } = await issue('--auditor');
  expect(exitCode).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ scopes: ['audit'], tenant: 'default' });
});

test('a key of a role may do what that may, in its tenant', async () => {
  const { stdout } = await issue('--role', 'admin', '--tenant', 'acme');
  expect(JSON.parse(stdout)).toMatchObject({ scopes: ROLES.admin, tenant: 'acme', agents: ['*'] });
});

test.each([
  [
    'nothing is said of what it may do',
    [],
    'Give one of --role (viewer, operator, author, admin, reporter), --auditor and --scopes',
  ],
  ['two things are said', ['--auditor', '--scopes', 'operate'], 'what the key may do is said twice'],
  ['a role and scopes are said', ['--role', 'viewer', '--scopes', 'operate'], 'is said twice'],
  ['the role is none', ['--role', 'owner'], 'Allowed choices are viewer, operator, author, admin'],
  [
    'a plane is named, and a folder',
    ['--role', 'viewer', '--url', 'http://plane'],
    '--data is of a data folder',
  ],
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

/** What a plane is asked, and answers. */
async function planeThat(answers: object) {
  const asked: object[] = [];
  const server = createServer(async (request, response) => {
    const { method, url, headers } = request;
    let body = '';
    for await (const chunk of request) body += chunk;
    asked.push({ method, url, key: headers.authorization, ...(body && { body: JSON.parse(body) }) });
    response.setHeader('content-type', 'application/json').end(JSON.stringify(answers));
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const run = (...args: string[]) =>
    runCommand(['keys', ...args, '--url', url], { env: { MANDATE_API_KEY: 'sk-mdt_x' } });
  return { asked, run };
}

const ANN = { revision: 7, id: 'k1', name: 'ann', role: 'viewer', createdAt: '2026-01-01T00:00:00.000Z' };
const KEY = 'Bearer sk-mdt_x';

test('with the address of a plane keys of people are issued, listed and revoked there', async () => {
  const issuing = await planeThat({ ...ANN, key: 'sk-mdt_y' });
  expect(await issuing.run('issue', '--name', 'ann', '--role', 'viewer')).toEqual({
    exitCode: 0,
    stdout: 'sk-mdt_y\n',
    stderr: 'its id is k1: `mandate keys revoke k1 --url …` ends it\n',
  });
  const body = { name: 'ann', role: 'viewer' };
  expect(issuing.asked).toEqual([{ method: 'POST', url: '/v1/keys', key: KEY, body }]);

  const listing = await planeThat({ keys: [ANN], next: null });
  expect((await listing.run('list')).stdout).toMatch(/ID +NAME +ROLE +CREATED\nk1 +ann +viewer +2026/);
  expect(JSON.parse((await listing.run('list', '--json')).stdout)).toEqual(ANN);

  const revoking = await planeThat({ revision: 8 });
  expect(await revoking.run('revoke', 'k1')).toMatchObject({ exitCode: 0, stdout: 'revoked k1\n' });
  expect(revoking.asked).toEqual([{ method: 'DELETE', url: '/v1/keys/k1', key: KEY }]);
});

test('an address in the environment does not move where keys are made', async () => {
  const env = { MANDATE_URL: 'http://127.0.0.1:1', MANDATE_API_KEY: 'sk-mdt_x' };
  const args = ['keys', 'issue', '--data', temporaryFolder(), '--name', 'x', '--role', 'viewer'];
  expect(await runCommand(args, { env })).toMatchObject({ exitCode: 0 });
});
