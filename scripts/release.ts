/**
 * Makes a release of the repository in the current folder: `npm run release -- X.Y.Z [--dry-run]`. It sets the
 * version of every workspace, in the lockfile and in the names of images. It gives the entries under "Unreleased" of
 * CHANGELOG.md the version and the date, commits that, and tags the commit `vX.Y.Z`. It pushes nothing.
 *
 * It refuses a working tree with changes, an existing tag, a version that is lower than the current one, and a
 * changelog with nothing under "Unreleased". With `--dry-run` it prints what it would write, and writes nothing.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { isLower, isVersion, lockfileAt, manifestAt, releaseNotes } from './release/release-files.ts';

const USAGE = 'Usage: npm run release -- X.Y.Z [--dry-run]';
/** Files that contain the name of the image with the version. */
const NAME_THE_IMAGE = ['docker-compose.yml', 'docs/deploy.md'];

try {
  process.stdout.write(release());
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 2;
}

function release(): string {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { 'dry-run': { type: 'boolean', default: false } },
  });
  const [version, ...more] = positionals;
  if (version === undefined || more.length > 0 || !isVersion(version)) throw new Error(USAGE);
  const current: string = JSON.parse(read('package.json')).version;
  if (isLower(version, current)) throw new Error(`${version} is lower than the current version ${current}.`);
  const changed = git('status', '--porcelain');
  if (changed !== '') throw new Error(`Commit or remove these changes first:\n${changed}`);
  const tag = `v${version}`;
  if (git('tag', '--list', tag) !== '') throw new Error(`The tag ${tag} exists. Choose a higher version.`);

  const files = filesAt(current, version).filter(({ path, text }) => text !== read(path));
  const list = files.map(({ path }) => `  ${path}\n`).join('');
  if (values['dry-run']) return `${tag} would be a commit of these files, and a tag:\n${list}`;
  for (const { path, text } of files) writeFileSync(path, text);
  git('add', '--', ...files.map(({ path }) => path));
  git('commit', '--quiet', '--message', `Release ${version}`);
  git('tag', '--annotate', tag, '--message', `Mandate ${version}`);
  return `${tag} is committed and tagged:\n${list}Push it with: git push --follow-tags\n`;
}

function filesAt(current: string, version: string): { path: string; text: string }[] {
  const manifests = git('ls-files', '--', 'package.json', '*/package.json').split('\n');
  const day = new Date().toISOString().slice(0, 10);
  const named = git('ls-files', '--', ...NAME_THE_IMAGE)
    .split('\n')
    .filter((path) => path !== '');
  return [
    ...manifests.map((path) => ({ path, text: manifestAt(version, read(path)) })),
    { path: 'package-lock.json', text: lockfileAt(version, read('package-lock.json')) },
    { path: 'CHANGELOG.md', text: releaseNotes(read('CHANGELOG.md'), version, day) },
    ...named.map((path) => ({
      path,
      text: read(path).replaceAll(`mandate:${current}`, `mandate:${version}`),
    })),
  ];
}

function read(path: string): string {
  return readFileSync(path, 'utf8');
}

function git(...args: string[]): string {
  return execFileSync('git', args, { encoding: 'utf8' }).trimEnd();
}
