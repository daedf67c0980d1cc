// Does what a newcomer does with the SDK: makes an empty folder, installs the package, and runs the script that its
// README shows. Ends with exit code 0 if the script prints what the README says, with a blocked call. It uses only
// built-in modules, so it runs on a machine with nothing but Node 22.18 and npm.
//
// usage: node scripts/first-five-minutes.mjs <tarball or name of the package>
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';

const [wanted] = process.argv.slice(2);
if (wanted === undefined)
  throw new Error('usage: node scripts/first-five-minutes.mjs <tarball or name of the package>');
const what = wanted.endsWith('.tgz') ? resolve(wanted) : wanted;
const folder = mkdtempSync(join(tmpdir(), 'mandate-newcomer-'));
const started = Date.now();
try {
  run('npm', ['init', '-y']);
  run('npm', ['install', '--prefer-offline', '--no-audit', '--no-fund', what]);
  const readme = readFileSync(join(folder, 'node_modules', '@mandate', 'sdk', 'README.md'), 'utf8');
  writeFileSync(join(folder, 'example.mts'), block(readme, 'ts'));
  const printed = run('node', ['example.mts']);
  process.stdout.write(printed);
  if (printed !== block(readme, 'text') || !printed.includes('COST_LIMIT_EXCEEDED')) {
    throw new Error('The script does not print what the README says.');
  }
  console.log(`From an empty folder to a blocked call in ${Math.round((Date.now() - started) / 1000)} s.`);
} finally {
  rmSync(folder, { recursive: true });
}

/** Returns the first code block of this language. */
function block(markdown, language) {
  return new RegExp(`\`\`\`${language}\n(.*?)\`\`\``, 's').exec(markdown)?.[1] ?? '';
}

/** Runs a command with the Node that runs this script, and returns what it prints. */
function run(command, args) {
  const env = { ...process.env, PATH: `${dirname(process.execPath)}${delimiter}${process.env.PATH}` };
  const result = spawnSync(command, args, {
    cwd: folder,
    env,
    encoding: 'utf8',
    shell: process.platform === 'win32',
  });
  if (result.status !== 0) {
    throw new Error(`${command} ${args.join(' ')} failed:\n${result.error?.message ?? result.stderr}`);
  }
  return result.stdout;
}
