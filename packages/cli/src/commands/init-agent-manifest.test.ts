import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { compileAgentManifest, readAgentManifest } from '@mandate/agent-manifest';
import { temporaryFolder } from '@mandate/testing';
import { expect, test } from 'vitest';
import { runCommand } from '../run-command.fixture.ts';

test('writes a manifest, and test cases that pass', async () => {
  const folder = join(temporaryFolder(), 'deep', 'My Team');
  const ran = await runCommand(['manifest', 'init', folder]);
  expect(ran).toMatchObject({ exitCode: 0, stderr: '' });
  expect(ran.stdout).toContain(`wrote ${join(folder, 'agent-manifest.yaml')}\n`);
  const read = readAgentManifest(readFileSync(join(folder, 'agent-manifest.yaml')));
  expect(read).toMatchObject({ ok: true, warnings: [], manifest: { metadata: { name: 'My Team' } } });
  expect(read.ok && compileAgentManifest(read.manifest)).toMatchObject({ ok: true, warnings: [] });
  const tested = await runCommand(['test', folder]);
  expect(tested.stdout).toMatch(/\n4 cases: 4 passed\n$/);
  expect(tested.exitCode).toBe(0);
});

test('never replaces a file', async () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'agent-manifest.test.yaml'), 'mine');
  const { exitCode, stderr } = await runCommand(['manifest', 'init', folder]);
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining('already there: ')]);
  expect(existsSync(join(folder, 'agent-manifest.yaml'))).toBe(false);
});

test('needs a name that gives an id', async () => {
  const { exitCode, stderr } = await runCommand(['manifest', 'init', join(temporaryFolder(), '北京')]);
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining('cannot name a manifest')]);
});
