/**
 * Runs scripts/setup.mjs, the first step of every npm script, in a folder that has the packages of another lockfile.
 */
import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@mandate/testing';
import { expect, it } from 'vitest';

it('setup installs the packages again, although this deletes the Node that runs the script', () => {
  const folder = temporaryFolder();
  const asJson = (file: string, content: object) =>
    writeFileSync(join(folder, file), JSON.stringify(content));
  asJson('package.json', { name: 'cloned', version: '1.0.0', scripts: { setup: 'node scripts/setup.mjs' } });
  asJson('package-lock.json', {
    name: 'cloned',
    version: '1.0.0',
    lockfileVersion: 3,
    packages: { '': { name: 'cloned', version: '1.0.0' } },
  });
  mkdirSync(join(folder, 'scripts'));
  copyFileSync(join(import.meta.dirname, '../../../scripts/setup.mjs'), join(folder, 'scripts/setup.mjs'));
  const installed = join(folder, 'node_modules/node/bin/node');
  mkdirSync(join(installed, '..'), { recursive: true });
  copyFileSync(process.execPath, installed);
  mkdirSync(join(folder, 'node_modules/.bin'));
  symlinkSync(installed, join(folder, 'node_modules/.bin/node'));

  // npm puts the programs of the folder first on PATH, so the script runs on the copied Node.
  execFileSync('npm', ['run', 'setup'], { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] });
  expect(existsSync(installed)).toBe(false);
  expect(existsSync(join(folder, 'node_modules/.mandate-setup'))).toBe(true);
});
