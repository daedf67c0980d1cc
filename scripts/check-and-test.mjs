// Runs `npm run check:run` beside `vitest run`: the checks take half a minute, in which the tests can already begin.
// Arguments go to vitest. The checks print once they have ended, so that their lines do not mix with those of the
// tests. The first failure ends the other part. The exit code is 0 if both passed. Ctrl-C reaches both, because they
// are in one process group.
import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';

const checks = spawn('npm', ['run', '--silent', 'check:run'], { stdio: ['ignore', 'pipe', 'pipe'] });
const tests = spawn('vitest', ['run', ...process.argv.slice(2)], { stdio: ['ignore', 'inherit', 'inherit'] });
const printed = Promise.all([text(checks.stdout), text(checks.stderr)]);

const ended = (child) =>
  new Promise((resolve) => {
    child.on('error', (error) => {
      console.error(error.message);
      resolve(1);
    });
    child.on('close', (code) => resolve(code ?? 1));
  });
const checked = ended(checks).then(async (code) => {
  const [output, errors] = await printed;
  process.stdout.write(output);
  process.stderr.write(errors);
  if (code !== 0) {
    console.error('\nmandate: the checks failed, so the tests are stopped.');
    tests.kill('SIGTERM');
  }
  return code;
});
const [checkCode, testCode] = await Promise.all([checked, ended(tests)]);
if (checkCode !== 0) console.error('mandate: the checks failed; their output is above.');
process.exitCode = checkCode === 0 ? testCode : 1;
