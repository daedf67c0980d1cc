// Runs `npm run check:run` and `vitest run` at the same time, because the checks take half a minute. Arguments go to
// vitest. The output of the checks is printed after they have ended, so that it does not mix with the output of the
// tests. If the checks fail, the tests are stopped. The exit code is 0 if checks and tests passed. Ctrl-C reaches all
// processes, because they are in one process group.
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
