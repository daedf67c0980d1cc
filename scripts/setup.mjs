// Installs what the lockfile says, once, and builds the console when its source has changed. It is the first step of
// every npm script that a newcomer runs. It uses only built-in modules and plain syntax that Node 18 understands,
// because the machine's own Node runs it before the pinned Node 24 (a devDependency) exists. If nothing has changed it
// does nothing, in a few milliseconds.
// Long-running programs after it (`start`, `demo`) are run with `exec`. npm passes signals on to its child, the
// shell, which must have become the program by then. Otherwise the program would outlive both.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const stamp = join(root, 'node_modules', '.mandate-setup');
const wanted = createHash('sha256')
  .update(readFileSync(join(root, 'package-lock.json')))
  .digest('hex');

if (!existsSync(stamp) || readFileSync(stamp, 'utf8') !== wanted) {
  console.error('mandate: installing what package-lock.json says (about a minute the first time) …');
  const started = Date.now();
  npm('ci', '--ignore-scripts');
  // Only this package needs its install script, which puts the pinned Node in place. No other package may run one
  // here.
  npm('rebuild', 'node');
  writeFileSync(stamp, wanted);
  console.error(`mandate: installed in ${Math.round((Date.now() - started) / 1000)} s`);
}
if (existsSync(join(root, 'packages/console'))) buildConsole();

// The pages also contain the policy engine, and the lockfile names the libraries.
function buildConsole() {
  const built = join(root, 'packages/console/dist/.built-from');
  const hash = createHash('sha256').update(wanted);
  const sources = [
    'packages/console',
    'packages/control/src',
    'packages/policy/src',
    'packages/step/src',
    'schemas/src',
  ];
  for (const path of [...sources, 'scripts/build-console.ts'].flatMap(filesIn)) {
    hash.update(path).update(readFileSync(join(root, path)));
  }
  const source = hash.digest('hex');
  if (existsSync(built) && readFileSync(built, 'utf8') === source) return;
  const node = join(root, 'node_modules/.bin/node');
  const { error, status } = spawnSync(node, [join(root, 'scripts/build-console.ts')], {
    ...{ cwd: root, stdio: ['ignore', 2, 2], shell: process.platform === 'win32' },
  });
  if (error || status !== 0) {
    console.error('mandate: the console was not built. Mend what is said above and run the command again.');
    process.exit(1);
  }
  writeFileSync(built, source);
}

function filesIn(path) {
  const entries = path.includes('.') ? null : readdirSync(join(root, path), { withFileTypes: true });
  if (entries === null) return [path];
  return entries
    .filter(({ name }) => !['dist', 'node_modules'].includes(name))
    .flatMap((entry) => {
      const inner = `${path}/${entry.name}`;
      return entry.isDirectory() ? filesIn(inner) : [inner];
    })
    .sort();
}

function npm(...args) {
  const options = { cwd: root, stdio: ['ignore', 2, 2] };
  const all = [...args, '--no-audit', '--no-fund', '--loglevel=error'];
  // Inside `npm run`, npm_execpath is the npm that started this script. Outside, the npm on the PATH is used.
  const ours = process.env.npm_execpath;
  // The Node that runs this script may be gone: `npm ci` removes the Node of an older lockfile.
  const node = existsSync(process.execPath) ? process.execPath : 'node';
  const result = ours
    ? spawnSync(node, [ours, ...all], options)
    : spawnSync('npm', all, { ...options, shell: process.platform === 'win32' });
  if (!result.error && result.status === 0) return;
  const why = result.error ? result.error.message : `npm ${args[0]} ended with exit code ${result.status}`;
  console.error(`mandate: the install failed (${why}). Mend what npm says above and run the command again.`);
  process.exit(1);
}
