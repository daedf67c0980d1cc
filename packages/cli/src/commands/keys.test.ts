import { existsSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { ROLES } from '@mandate/schemas';
import { temporaryFolder } from '@mandate/testing';
import { expect, onTestFinished, test } from 'vitest';
import { runCommand } from '../run-command.fixture.ts';

const issue = (...asked: string[]) =>
  runCommand(['keys', 'issue', '--data', temporaryFolder(), '--name', 'x', '--json', ...asked]);

test('issues an auditor key that may only read the audit', async () => {
  const { exitCode, stdout } = await issue('--auditor');
  expect(exitCode).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ scopes: ['audit'], tenant: 'default' });
});

test('issues a key with a role that has the scopes of the role in its tenant', async () => {
  const { stdout } = await issue('--role', 'admin', '--tenant', 'acme');
  expect(JSON.parse(stdout)).toMatchObject({ scopes: ROLES.admin, tenant: 'acme', agents: ['*'] });
});

test('issues no key in a new folder for a person who is logged in to a plane', async () => {
  const folder = join(temporaryFolder(), 'new');
  const env = { MANDATE_API_KEY: 'sk-1', MANDATE_URL: 'http://plane', MANDATE_PLANE_DATA_PATH: folder };
  const asked = ['keys', 'issue', '--name', 'ann', '--role', 'viewer'];
  const refused = await runCommand(asked, { env });
  expect(refused).toMatchObject({ exitCode: 2, stdout: '' });
  expect(refused.stderr).toContain('Give --url http://plane to issue the key through the API of this plane');
  expect(existsSync(folder)).toBe(false);
  expect((await runCommand([...asked, '--data', folder], { env })).stdout).toMatch(/^sk-mdt_/);
});

test('issues a key that publishes for the named agents, and warns if a key may publish for all agents', async () => {
  const named = await issue('--scopes', 'publish', 'report', '--agents', 'bot', 'ci-*');
  expect(JSON.parse(named.stdout).agents).toEqual(['bot', 'ci-*']);
  const { stdout, stderr } = await runCommand([
    ...['keys', 'issue', '--data', temporaryFolder(), '--name', 'x'],
    ...['--scopes', 'publish', '--agents', '*'],
  ]);
  expect(stdout).toMatch(/^sk-mdt_/);
  expect(stderr).toContain('mandate: warning: this key speaks for every agent of its tenant');
});

test('warns of a key that both publishes and operates', async () => {
  const warning = 'this key publishes and operates';
  const both = await issue('--scopes', 'publish', 'operate', '--agents', 'bot');
  expect(both.stderr).toContain(warning);
  for (const scopes of [['publish', 'report', '--agents', 'bot'], ['operate']])
    expect((await issue('--scopes', ...scopes)).stderr).not.toContain(warning);
});

test('lets a key with a role expire after 90 days and other keys never, unless --expires is given', async () => {
  const lasts = async (...asked: string[]) => {
    const { createdAt, expiresAt } = JSON.parse((await issue(...asked)).stdout);
    return expiresAt === undefined ? null : (Date.parse(expiresAt) - Date.parse(createdAt)) / 86_400_000;
  };
  expect(await lasts('--role', 'viewer')).toBe(90);
  expect(await lasts('--auditor')).toBe(90);
  expect(await lasts('--role', 'reporter')).toBe(null);
  expect(await lasts('--scopes', 'audit')).toBe(null);
  expect(await lasts('--scopes', 'audit', '--expires', '30d')).toBe(30);
  expect(await lasts('--role', 'viewer', '--expires', 'never')).toBe(null);
});

test('issues a key that pins fields of the context and the principal', async () => {
  const { stdout } = await issue(
    ...['--scopes', 'publish', '--agents', 'bot', '--pin', 'context.environment=prod', 'context.calls=5'],
    ...['principal.id=ann', 'principal.role=user'],
  );
  expect(JSON.parse(stdout).pins).toEqual({
    context: { environment: 'prod', calls: 5 },
    principal: { id: 'ann', role: 'user' },
  });
});

test('warns of keys that expire soon, and shows keys that have expired', async () => {
  const folder = temporaryFolder();
  const keys = (...args: string[]) => runCommand(['keys', ...args, '--data', folder]);
  await keys('issue', '--name', 'soon', '--scopes', 'audit', '--expires', '5d');
  await keys('issue', '--name', 'late', '--scopes', 'audit', '--expires', '60d');
  await keys('issue', '--name', 'gone', '--scopes', 'audit', '--expires', '1s');
  const shown = async () => (await keys('list')).stdout;
  await expect.poll(shown, { timeout: 30_000 }).toMatch(/gone .*expired (now|\d+ s ago)/);
  const { stdout, stderr } = await keys('list');
  expect(stdout).toMatch(/soon .*\(in 4 d\)/);
  expect(stderr).toMatch(/^mandate: warning: the key soon \(\w{12}\) expires in 4 d\n {2}Issue another/);
  expect(stderr).not.toMatch(/late|gone/);
});

test.each([
  ['the agents of the key are missing', ['--scopes', 'publish'], 'the agents of the key are missing'],
  ['a key that only reads pins', ['--auditor', '--pin', 'context.a=1'], '--pin needs the scope publish'],
  [
    'something else is pinned',
    ['--scopes', 'publish', '--agents', 'b', '--pin', 'tool=x'],
    'Give context.NAME=value',
  ],
  [
    'a role has nobody',
    ['--scopes', 'publish', '--agents', 'b', '--pin', 'principal.role=admin'],
    'A role goes with an id',
  ],
  [
    'it expires at no time',
    ['--auditor', '--expires', 'soon'],
    'Give milliseconds or a number with its unit',
  ],
  [
    'nothing is said of what it may do',
    [],
    'Give one of --role (viewer, approver, operator, author, admin, reporter), --auditor and --scopes',
  ],
  [
    'two things are said',
    ['--auditor', '--scopes', 'operate'],
    'the key has more than one role, or scopes too',
  ],
  [
    'a role and scopes are said',
    ['--role', 'viewer', '--scopes', 'operate'],
    'the key has more than one role, or scopes too',
  ],
  ['the role is none', ['--role', 'owner'], 'Allowed choices are viewer, approver, operator, author, admin'],
  [
    'a plane is named, and a folder',
    ['--role', 'viewer', '--url', 'http://plane'],
    '--data has no effect here: it is only for the keys of a data folder',
  ],
])('issues no key if %s', async (_what, asked, complaint) => {
  const { exitCode, stdout, stderr } = await issue(...asked);
  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
  expect(stderr).toContain(complaint);
});

test('writes only the key to stdout, and its id to stderr', async () => {
  const folder = temporaryFolder();
  const keys = (...args: string[]) => runCommand(['keys', ...args, '--data', folder]);
  const { stdout, stderr } = await keys('issue', '--name', 'x', '--auditor');
  expect(stdout).toMatch(/^sk-mdt_\S+\n$/);
  const [, id = ''] = /^its id is (\S+): /.exec(stderr) ?? [];
  expect(await keys('revoke', id)).toMatchObject({ exitCode: 0, stdout: `revoked x (${id})\n` });
});

/** Starts a server with these answers, and records the requests. */
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

const ANN = {
  revision: 7,
  id: 'k1',
  name: 'ann',
  role: 'viewer',
  createdAt: '2026-01-01T00:00:00.000Z',
  expiresAt: null,
};
const KEY = 'Bearer sk-mdt_x';

test('issues, lists and revokes keys of people at the plane if an option names its address', async () => {
  const issuing = await planeThat({ ...ANN, key: 'sk-mdt_y' });
  expect(await issuing.run('issue', '--name', 'ann', '--role', 'viewer')).toEqual({
    exitCode: 0,
    stdout: 'sk-mdt_y\n',
    stderr: 'its id is k1: `mandate keys revoke k1 --url …` ends it\n',
  });
  const body = { name: 'ann', role: 'viewer' };
  expect(issuing.asked).toEqual([{ method: 'POST', url: '/v1/keys', key: KEY, body }]);

  const listing = await planeThat({ keys: [ANN], next: null });
  expect((await listing.run('list')).stdout).toMatch(
    /ID +NAME +ROLE +CREATED +EXPIRES\nk1 +ann +viewer +2026\S+ +never/,
  );
  expect(JSON.parse((await listing.run('list', '--json')).stdout)).toEqual(ANN);

  const revoking = await planeThat({ revision: 8 });
  expect(await revoking.run('revoke', 'k1')).toMatchObject({ exitCode: 0, stdout: 'revoked k1\n' });
  expect(revoking.asked).toEqual([{ method: 'DELETE', url: '/v1/keys/k1', key: KEY }]);
});

test('ignores an address in the environment when it issues keys', async () => {
  const env = { MANDATE_URL: 'http://127.0.0.1:1', MANDATE_API_KEY: 'sk-mdt_x' };
  const args = ['keys', 'issue', '--data', temporaryFolder(), '--name', 'x', '--role', 'viewer'];
  expect(await runCommand(args, { env })).toMatchObject({ exitCode: 0 });
});
