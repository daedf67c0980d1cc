/** Runs `npm run release` on a repository of two workspaces, and tests what it commits and what it refuses. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@mandate/testing';
import { expect, it } from 'vitest';

const SCRIPT = join(import.meta.dirname, '../../../scripts/release.ts');
const NOTES = '# Changelog\n\n## Unreleased\n\n- Budgets slide.\n';

function repository(notes = NOTES) {
  const folder = temporaryFolder();
  const write = (path: string, content: object | string) =>
    writeFileSync(join(folder, path), typeof content === 'string' ? content : JSON.stringify(content));
  const read = (path: string) => readFileSync(join(folder, path), 'utf8');
  const git = (...args: string[]) => execFileSync('git', args, { cwd: folder, encoding: 'utf8' }).trim();
  const app = {
    name: '@mandate/app',
    version: '0.1.0',
    dependencies: { '@mandate/core': '0.1.0', zod: '4.6.7' },
  };
  const core = { name: '@mandate/core', version: '0.1.0' };
  const zod = { version: '0.1.0', integrity: 'sha512-x' };
  for (const path of ['app', 'core', 'docs']) mkdirSync(join(folder, path));
  write('package.json', { name: 'workspace', version: '0.1.0' });
  write('app/package.json', app);
  write('core/package.json', core);
  write('package-lock.json', {
    version: '0.1.0',
    packages: {
      '': { version: '0.1.0' },
      app,
      core,
      'node_modules/zod': zod,
      'node_modules/@mandate/core': { link: true },
    },
  });
  write('CHANGELOG.md', notes);
  write('docs/deploy.md', 'docker run mandate:0.1.0');
  git('init', '--quiet');
  git('config', 'user.name', 'tester');
  git('config', 'user.email', 'tester@localhost');
  git('add', '.');
  git('commit', '--quiet', '--message', 'Begin');
  const release = (...args: string[]) =>
    spawnSync(process.execPath, [SCRIPT, ...args], { cwd: folder, encoding: 'utf8' });
  return { write, read, git, release };
}

it('npm run release sets one version everywhere, dates the changelog, commits and tags', () => {
  const { read, git, release } = repository();
  expect(release('0.2.0')).toMatchObject({ status: 0, stderr: '' });
  expect(git('describe')).toBe('v0.2.0');
  expect(git('log', '-1', '--format=%s')).toBe('Release 0.2.0');
  expect(git('status', '--porcelain')).toBe('');
  const app = { version: '0.2.0', dependencies: { '@mandate/core': '0.2.0', zod: '4.6.7' } };
  expect(JSON.parse(read('app/package.json'))).toMatchObject(app);
  expect(JSON.parse(read('package-lock.json'))).toEqual({
    version: '0.2.0',
    packages: {
      '': { version: '0.2.0' },
      app: { name: '@mandate/app', ...app },
      core: { name: '@mandate/core', version: '0.2.0' },
      'node_modules/zod': { version: '0.1.0', integrity: 'sha512-x' },
      'node_modules/@mandate/core': { link: true },
    },
  });
  expect(read('docs/deploy.md')).toBe('docker run mandate:0.2.0');
  expect(read('CHANGELOG.md')).toMatch(
    /^# Changelog\n\n## Unreleased\n\n## 0\.2\.0 – \d{4}-\d\d-\d\d\n\n- Budgets slide\.\n$/,
  );
});

it('a dry run writes nothing, and lists the files that a release would change', () => {
  const { git, release } = repository();
  const { status, stdout } = release('0.2.0', '--dry-run');
  expect(status).toBe(0);
  expect(stdout.match(/\S+\.(?:json|md)$/gm)).toEqual([
    'app/package.json',
    'core/package.json',
    'package.json',
    'package-lock.json',
    'CHANGELOG.md',
    'docs/deploy.md',
  ]);
  expect([git('status', '--porcelain'), git('tag'), git('rev-list', '--count', 'HEAD')]).toEqual([
    '',
    '',
    '1',
  ]);
});

it('npm run release refuses uncommitted changes, an existing tag, a lower version and an empty changelog', () => {
  const { write, git, release } = repository();
  expect(release('0.0.9').stderr).toContain('0.0.9 is lower than the current version 0.1.0');
  expect(release('next').stderr).toContain('Usage:');
  git('tag', 'v0.1.0');
  expect(release('0.1.0')).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('The tag v0.1.0 exists'),
  });
  write('stray', '');
  expect(release('0.2.0')).toMatchObject({
    status: 2,
    stderr: expect.stringMatching(/^Commit or remove[\s\S]*stray/),
  });
  expect(
    repository('# Changelog\n\n## Unreleased\n\n## 0.1.0 – 2026-01-01\n\n- All.\n').release('0.2.0').stderr,
  ).toContain('nothing under');
});
