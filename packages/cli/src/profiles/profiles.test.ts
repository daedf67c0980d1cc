import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { temporaryFolder } from '@mandate/testing';
import { expect, it } from 'vitest';
import { answeringServer } from '../answering-server.fixture.ts';
import { runProgram } from '../program.ts';
import { runCommand } from '../run-command.fixture.ts';

const GOOD = 'sk-mdt_good';

/** Starts a server that accepts these keys and records the keys of its requests. */
async function planeWith(...keys: string[]) {
  const asked: string[] = [];
  const { MANDATE_URL: url } = await answeringServer((request, response) => {
    const key = (request.headers.authorization ?? '').replace('Bearer ', '');
    asked.push(key);
    const isKnown = keys.includes(key);
    response.writeHead(isKnown ? 200 : 401, { 'content-type': 'application/problem+json' });
    const problem = { status: 401, code: 'UNAUTHENTICATED', detail: 'unknown', remedy: 'r' };
    response.end(JSON.stringify(isKnown ? { rules: [], next: null, revision: 0 } : problem));
  });
  return { url, asked };
}

function home() {
  const folder = temporaryFolder();
  return { env: { XDG_CONFIG_HOME: folder }, file: join(folder, 'mandate', 'profiles.json') };
}

it('keeps an address and a key in a file that only its owner reads, and uses both', async () => {
  const { url, asked } = await planeWith(GOOD);
  const { env, file } = home();
  const login = await runCommand(['login', '--url', url], { env, stdin: `${GOOD}\n` });
  expect(login).toEqual({
    exitCode: 0,
    stdout: `logged in to ${url} as profile default, kept in ${file}\n`,
    stderr: '',
  });
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(statSync(join(file, '..')).mode & 0o777).toBe(0o700);
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({
    version: 1,
    profiles: { default: { url, key: GOOD } },
  });
  asked.length = 0;
  expect(await runCommand(['rules', 'list'], { env })).toMatchObject({ exitCode: 0, stderr: '' });
  expect(asked).toEqual([GOOD]);
});

it('keeps nothing if the plane does not know the key, or does not answer', async () => {
  const { url } = await planeWith(GOOD);
  const { env, file } = home();
  const wrong = await runCommand(['login', '--url', url], { env, stdin: 'sk-mdt_bad' });
  expect(wrong).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('does not know this key') });
  const away = await runCommand(['login', '--url', 'http://127.0.0.1:1'], { env, stdin: GOOD });
  expect(away).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('no plane answers') });
  expect(existsSync(file)).toBe(false);
});

it('asks for the key on a terminal, and never shows the key in any output', async () => {
  const { url } = await planeWith(GOOD);
  const { env } = home();
  const stdin = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => {} });
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const signal = new AbortController().signal;
  const done = runProgram(['login', '--url', url, '--json'], { stdin, stdout, stderr, env, signal });
  stdin.write(`${GOOD}\n`);
  expect(await done).toBe(0);
  stdout.end();
  stderr.end();
  const shown = (await text(stdout)) + (await text(stderr));
  expect(shown).toContain(`API key for ${url}`);
  const profiles = await runCommand(['profiles', '--json'], { env });
  expect(JSON.parse(profiles.stdout)).toEqual({ name: 'default', url });
  expect(shown + profiles.stdout + (await runCommand(['profiles'], { env })).stdout).not.toContain(GOOD);
});

it('uses the profile that --profile or MANDATE_PROFILE names, lists profiles, and forgets one', async () => {
  const [one, other] = [await planeWith('sk-1'), await planeWith('sk-2')];
  const { env, file } = home();
  await runCommand(['login', '--profile', 'one', '--url', one.url, '--key', 'sk-1'], { env });
  await runCommand(['login', '--url', other.url, '--key', 'sk-2'], {
    env: { ...env, MANDATE_PROFILE: 'two' },
  });
  expect((await runCommand(['profiles'], { env })).stdout.split('\n').slice(1, 3)).toEqual([
    `one      ${one.url}`,
    `two      ${other.url}`,
  ]);
  expect((await runCommand(['rules', 'list', '--profile', 'one'], { env })).exitCode).toBe(0);
  const two = { env: { ...env, MANDATE_PROFILE: 'two' } };
  expect((await runCommand(['rules', 'list'], two)).exitCode).toBe(0);
  expect([one.asked.at(-1), other.asked.at(-1)]).toEqual(['sk-1', 'sk-2']);
  expect((await runCommand(['rules', 'list', '--profile', 'on'], { env })).stderr).toContain('no profile on');
  expect((await runCommand(['logout'], two)).stdout).toBe('forgot the profile two\n');
  expect((await runCommand(['logout', '--profile', 'one'], { env })).exitCode).toBe(0);
  expect(existsSync(file)).toBe(false);
  expect((await runCommand(['logout'], { env })).exitCode).toBe(2);
});

it('prefers the environment to a profile', async () => {
  const { url, asked } = await planeWith('sk-1', 'sk-env');
  const { env } = home();
  await runCommand(['login', '--url', url, '--key', 'sk-1'], { env });
  const ran = await runCommand(['rules', 'list'], { env: { ...env, MANDATE_API_KEY: 'sk-env' } });
  expect([ran.exitCode, asked.at(-1)]).toEqual([0, 'sk-env']);
  const login = await runCommand(['login', '--url', url, '--key', 'sk-1'], {
    env: { ...env, MANDATE_API_KEY: 'sk-env' },
  });
  expect(login.stderr).toContain('MANDATE_API_KEY is set, and has priority');
});

it('prefers the key of a profile that an option names to the key of the environment', async () => {
  const { url, asked } = await planeWith('sk-1', 'sk-env');
  const { env } = home();
  await runCommand(['login', '--profile', 'prod', '--url', url, '--key', 'sk-1'], { env });
  const withKey = { env: { ...env, MANDATE_API_KEY: 'sk-env' } };
  expect((await runCommand(['rules', 'list', '--profile', 'prod'], withKey)).exitCode).toBe(0);
  expect(asked.at(-1)).toBe('sk-1');
});

it('replaces the key of a profile at a new login, and keeps the addresses', async () => {
  const { url, asked } = await planeWith('sk-1', 'sk-2');
  const { env, file } = home();
  const queryUrl = 'http://127.0.0.1:9';
  const first = ['login', '--profile', 'prod', '--url', url, '--query-url', queryUrl, '--key', 'sk-1'];
  await runCommand(first, { env });
  const again = await runCommand(['login', '--profile', 'prod'], { env, stdin: 'sk-2' });
  expect([again.exitCode, asked.at(-1)]).toEqual([0, 'sk-2']);
  const { profiles } = JSON.parse(readFileSync(file, 'utf8'));
  expect(profiles).toEqual({ prod: { url, queryUrl, key: 'sk-2' } });
});

it('never sends the key of a profile to another address', async () => {
  const [own, other] = [await planeWith('sk-1'), await planeWith('sk-1')];
  const { env } = home();
  await runCommand(['login', '--url', own.url, '--key', 'sk-1'], { env });
  for (const where of ['MANDATE_URL', 'MANDATE_CONTROL_URL']) {
    const ran = await runCommand(['rules', 'list'], { env: { ...env, [where]: other.url } });
    expect(ran).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('an API key is needed') });
  }
  const named = ['rules', 'list', '--profile', 'default'];
  const refused = await runCommand([...named, '--url', other.url], { env });
  expect(refused.stderr).toContain('is not an address of the profile default');
  // The profile overrides the whole environment.
  const elsewhere = { MANDATE_URL: other.url, MANDATE_API_KEY: 'sk-2' };
  expect(await runCommand(named, { env: { ...env, ...elsewhere } })).toMatchObject({ exitCode: 0 });
  expect(other.asked).toEqual([]);
});

it('refuses a file that others may read, and a file without profiles', async () => {
  const { env, file } = home();
  mkdirSync(join(file, '..'));
  writeFileSync(file, '{"version":1,"profiles":{}}', { mode: 0o600 });
  expect((await runCommand(['profiles'], { env })).exitCode).toBe(0);
  chmodSync(file, 0o644);
  expect((await runCommand(['profiles'], { env })).stderr).toContain(`chmod 600 ${file}`);
  chmodSync(file, 0o600);
  writeFileSync(file, '{"version":1}');
  expect((await runCommand(['rules', 'list'], { env })).stderr).toContain('cannot be read as profiles');
});
