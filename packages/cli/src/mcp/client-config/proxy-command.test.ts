import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@mandate/testing';
import { expect, test } from 'vitest';
import { defaultProxyCommand } from './proxy-command.ts';

/** The folder of this module, relative to a package or a clone. */
const MODULE = 'packages/cli/src/mcp/client-config';
const NPX = ['npx', '-y', 'mandate'];

/** Makes an installed package, and returns the folder of its module. */
function installedIn(folder: string): string {
  const root = join(folder, 'node_modules/mandate');
  mkdirSync(join(root, MODULE), { recursive: true });
  writeFileSync(join(root, 'bin.js'), '');
  return join(root, MODULE);
}

/** Makes a folder for the search path with `mandate` in it. */
function folderOfPath(target: string, name = 'bin'): string {
  const folder = join(temporaryFolder(), name);
  mkdirSync(folder, { recursive: true });
  symlinkSync(target, join(folder, 'mandate'));
  return folder;
}

test('a clone is started by its path', () => {
  const clone = temporaryFolder();
  const bin = join(clone, 'packages/cli/bin/mandate.mjs');
  mkdirSync(join(clone, 'packages/cli/bin'), { recursive: true });
  writeFileSync(bin, '');
  expect(defaultProxyCommand({}, join(clone, MODULE))).toEqual(['node', bin]);
});

test('a program on the path is started by its name', () => {
  const module = installedIn(temporaryFolder());
  const path = `/no/such/folder:${folderOfPath(join(module, '../../../../../bin.js'))}`;
  expect(defaultProxyCommand({ PATH: path }, module)).toEqual(['mandate']);
});

test('another program of the same name on the path is not started', () => {
  const module = installedIn(temporaryFolder());
  const other = join(installedIn(temporaryFolder()), '../../../../../bin.js');
  expect(defaultProxyCommand({ PATH: folderOfPath(other) }, module)).toEqual(NPX);
});

test('a program in the cache of npx or in a project is started with npx', () => {
  const module = installedIn(temporaryFolder());
  const bin = join(module, '../../../../../bin.js');
  expect(defaultProxyCommand({ PATH: folderOfPath(bin, 'node_modules/.bin') }, module)).toEqual(NPX);
  expect(defaultProxyCommand({}, module)).toEqual(NPX);
});
