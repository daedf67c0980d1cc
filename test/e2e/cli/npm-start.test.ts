/**
 * Runs `npm start` as people and supervisors do. The process tree is npm, a shell, npm again, and the plane. A
 * supervisor knows only the process id of the first npm.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { copyFileSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder, waitUntil } from '@mandate/testing';
import { expect, it, onTestFinished } from 'vitest';

const REPOSITORY = join(import.meta.dirname, '../../..');

it('SIGTERM to npm stops the plane', async () => {
  const { npm, url } = await npmStart();
  expect(await answers(url)).toBe(true);
  npm.kill('SIGTERM');
  const [exitCode] = await once(npm, 'exit');
  expect(exitCode).toBe(0);
  await waitUntil('the end of the plane', async () => !(await answers(url)));
});

it.each([
  ['npx', ['--no', '--', 'mandate']],
  ['npm', ['exec', '--', 'mandate']],
])('SIGTERM to %s stops the plane that it runs from the packed command', async (tool, args) => {
  const { npm, url } = await started(tool, [...args, 'up'], REPOSITORY);
  expect(await answers(url)).toBe(true);
  npm.kill('SIGTERM');
  await once(npm, 'exit');
  await waitUntil('the end of the plane', async () => !(await answers(url)));
});

it('Ctrl-C reaches every process, and each npm also forwards it; the plane still stops gracefully', async () => {
  const { npm, url } = await npmStart();
  process.kill(-(npm.pid ?? 0), 'SIGINT');
  const [exitCode] = await once(npm, 'close');
  expect(exitCode).toBe(0);
  expect(await answers(url)).toBe(false);
});

/** Resolves when the plane is up. At the end of the test, processes that still run are killed. */
function npmStart(): Promise<{ npm: ChildProcess; url: string }> {
  return started('npm', ['start', '--'], installedCopy());
}

async function started(tool: string, args: readonly string[], cwd: string) {
  const npm = spawn(tool, [...args, '--data', join(temporaryFolder(), 'data'), '--port', '0'], {
    cwd,
    env: cleanEnvironment(),
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  onTestFinished(() => killGroup(npm));
  let said = '';
  const hear = (text: string) => {
    said += text;
  };
  npm.stdout?.setEncoding('utf8').on('data', hear);
  npm.stderr?.setEncoding('utf8').on('data', hear);
  const url = await waitUntil('the greeting', () => /Mandate is up at (\S+)/.exec(said)?.[1]);
  return { npm, url };
}

/**
 * Returns a folder with the scripts of this repository. Everything is installed and built there already, so no script
 * does anything of that.
 */
function installedCopy(): string {
  const folder = temporaryFolder();
  for (const file of ['package.json', 'package-lock.json']) {
    copyFileSync(join(REPOSITORY, file), join(folder, file));
  }
  mkdirSync(join(folder, 'scripts'));
  for (const script of ['setup.mjs', 'build-console.ts'])
    copyFileSync(join(REPOSITORY, 'scripts', script), join(folder, 'scripts', script));
  for (const source of ['packages', 'schemas']) symlinkSync(join(REPOSITORY, source), join(folder, source));
  mkdirSync(join(folder, 'node_modules/.bin'), { recursive: true });
  symlinkSync(process.execPath, join(folder, 'node_modules/.bin/node'));
  const lockfile = readFileSync(join(folder, 'package-lock.json'));
  writeFileSync(
    join(folder, 'node_modules/.mandate-setup'),
    createHash('sha256').update(lockfile).digest('hex'),
  );
  return folder;
}

/** Returns the environment without the settings of the developer's own plane and of the npm that runs these tests. */
function cleanEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(mandate|npm)_/i.test(name)));
}

async function answers(url: string): Promise<boolean> {
  return fetch(new URL('/healthz', url)).then(
    () => true,
    () => false,
  );
}

function killGroup({ pid = 0 }: ChildProcess): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // The error means that the process group has already ended.
  }
}
