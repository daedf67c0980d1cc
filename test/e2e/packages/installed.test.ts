/** Installs the packed packages into empty folders with npm, and uses them with Node 22 and Node 24. */
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { promisify, stripVTControlCharacters } from 'node:util';
import { startProcess } from '@mandate/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ROOT } from '../../copy-of-repository.ts';
import { type Packed, packAll } from './packed.ts';

const run = promisify(execFile);
const temporary = mkdtempSync(join(tmpdir(), 'mandate-installed-'));
const commandFolder = join(temporary, 'command');
let packed: readonly Packed[] = [];

/** The Node of the repository, and the oldest version that is in support. */
const nodes: Record<string, string> = {
  24: process.execPath,
  22: join(temporary, 'node/node_modules/node/bin/node'),
};

function tarballOf(name: string): string {
  return packed.find((one) => one.name === name)?.tarball ?? '';
}

/** npm and the commands that it starts run on the first `node` of the PATH. */
function on(node: string): NodeJS.ProcessEnv {
  return { ...process.env, PATH: `${dirname(node)}${delimiter}${process.env.PATH}` };
}

async function install(folder: string, what: string, ...more: string[]): Promise<void> {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{ "private": true }');
  const options = ['--prefer-offline', '--no-audit', '--no-fund', ...more];
  await run('npm', ['install', ...options, what], { cwd: folder, env: on(process.execPath) });
}

beforeAll(async () => {
  const [all] = await Promise.all([
    packAll(temporary),
    // Its install script puts the binary into place.
    install(join(temporary, 'node'), 'node@22'),
  ]);
  packed = all;
  // The engine of the audit has 500 MB and is optional, so it is linked.
  await install(commandFolder, tarballOf('mandate'), '--omit=optional');
  rmSync(join(commandFolder, 'node_modules/@chdb'), { recursive: true, force: true });
  symlinkSync(join(ROOT, 'node_modules/@chdb'), join(commandFolder, 'node_modules/@chdb'));
}, 300_000);
afterAll(() => rmSync(temporary, { recursive: true }));

test('the oldest Node is there', async () => {
  expect(existsSync(nodes[22] ?? '')).toBe(true);
  expect((await run(nodes[22] ?? '', ['--version'])).stdout).toMatch(/^v22\./);
});

test('the adapters of the SDK pass their tests with the oldest Node', { timeout: 300_000 }, async () => {
  const adapters = ['openai', 'anthropic', 'ai', 'langchain', 'openai-agents', 'claude-agent', 'adapters'];
  const files = adapters.map((name) => `packages/sdk/src/${name}/`);
  const vitest = join(ROOT, 'node_modules/vitest/vitest.mjs');
  // The tests must not take the settings of the test that starts them.
  const env = {
    ...on(nodes[22] ?? ''),
    VITEST: undefined,
    VITEST_MODE: undefined,
    VITEST_WORKER_ID: undefined,
  };
  const args = [vitest, 'run', '--project', 'unit', '--reporter', 'dot', ...files];
  // A failed test would make vitest exit with 1, so the command would be rejected.
  const { stdout } = await run(nodes[22] ?? '', args, { cwd: ROOT, env });
  const passed = /Tests\s+(\d+) passed/.exec(stripVTControlCharacters(stdout))?.[1];
  expect(Number(passed)).toBeGreaterThan(400);
});

describe.each(Object.entries(nodes))('with Node %s', (_, node) => {
  test('the script of the README reaches a blocked call', async () => {
    const script = join(ROOT, 'scripts/first-five-minutes.mjs');
    const { stdout } = await run(node, [script, tarballOf('@mandate/sdk')], { env: on(node) });
    expect(stdout).toContain('COST_LIMIT_EXCEEDED');
    expect(stdout).toMatch(/to a blocked call in \d+ s\.\n$/);
  });

  test('npx runs the packed command in an empty folder, from the cache of npm alone', async () => {
    const empty = mkdtempSync(join(temporary, 'empty-'));
    const options = ['--offline', '--yes', '--omit=optional', `--package=${tarballOf('mandate')}`];
    const mandate = (...args: string[]) =>
      run('npx', [...options, '--', 'mandate', ...args], { cwd: empty, env: on(node) });
    expect((await mandate('--help')).stdout).toContain('Usage: mandate');
    expect((await mandate('prices', '--json')).stdout).toContain('gpt-4o');
    expect(readdirSync(empty)).toEqual([]);
  });

  test('the command starts a plane, npx mandate asks it, and SIGTERM stops it', async () => {
    const mandate = (...args: string[]) =>
      run('npx', ['mandate', ...args], { cwd: commandFolder, env: on(node) });
    expect((await mandate('--help')).stdout).toContain('Usage: mandate');
    const bin = join(commandFolder, 'node_modules/mandate/bin.js');
    const data = mkdtempSync(join(temporary, 'data-'));
    const plane = startProcess(bin, ['up', '--json', '--data', data, '--port', '0'], on(node), node);
    try {
      const { url, keys } = await plane.says('stdout', (line) => JSON.parse(line));
      const asked = ['publish', '--json', '--url', url, '--key', keys[0].key, '--agent', 'researcher'];
      const { stdout } = await mandate(...asked, '--tool', 'search_web');
      expect(JSON.parse(stdout).decision).toMatchObject({ verdict: 'ALLOW' });
      await expect(mandate(...asked, '--tool', 'delete_files')).rejects.toMatchObject({ code: 3 });
      expect([await plane.kill('SIGTERM'), plane.errors()]).toEqual([0, '']);
    } finally {
      await plane.kill('SIGKILL');
    }
  });
});
