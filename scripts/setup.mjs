// Installs what the lockfile says, once: the first step of every npm script that a newcomer runs.
// Built-ins only, and plain enough for Node 18: the machine's own Node runs it, before the pinned
// Node 24 (a devDependency) exists. It is a no-op, in a few milliseconds, when nothing changed.
// What runs after it for long (`start`, `demo`) is run with `exec`: npm passes signals on to its child, the shell, which
// must have become the program by then, or the program would outlive them both.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const stamp = join(root, 'node_modules', '.mandate-setup');
const wanted = createHash('sha256')
  .update(readFileSync(join(root, 'package-lock.json')))
  .digest('hex');

if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) process.exit(0);

console.error('mandate: installing what package-lock.json says (about a minute the first time) …');
const started = Date.now();
// Inside `npm run`, npm_execpath is the npm that started us; outside it, the npm on the PATH is.
const npm = process.env.npm_execpath;
const args = ['ci', '--no-audit', '--no-fund', '--loglevel=error'];
const result = npm
  ? spawnSync(process.execPath, [npm, ...args], { cwd: root, stdio: ['ignore', 2, 2] })
  : spawnSync('npm', args, { cwd: root, stdio: ['ignore', 2, 2], shell: process.platform === 'win32' });

if (result.error || result.status !== 0) {
  const why = result.error ? result.error.message : `npm ci ended with exit code ${result.status}`;
  console.error(`mandate: the install failed (${why}). Mend what npm says above and run the command again.`);
  process.exit(1);
}
writeFileSync(stamp, wanted);
console.error(`mandate: installed in ${Math.round((Date.now() - started) / 1000)} s`);
