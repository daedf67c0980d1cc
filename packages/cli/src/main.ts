/** The `mandate` command's process: the only place of the package that touches `process`. */
import { enableCompileCache } from 'node:module';
import { join } from 'node:path';
import { inspect } from 'node:util';
// Apart, as most commands need nothing else of it to start.
import { endOnUncaught } from '@mandate/runtime/end-on-uncaught';
import { sayWarnings } from '@mandate/runtime/say-warnings';

// What was compiled once is kept beside the packages that it was made from, where only who may change them can write.
enableCompileCache(join(import.meta.dirname, '../node_modules/.cache/compiled'));
const { runProgram } = await import('./program.ts');

/** One Ctrl-C arrives several times: from the terminal, and again from each npm above this process. */
const SAME_REQUEST_MS = 1_000;

const asked = new AbortController();
let askedAtMs = 0;
const onSignal = () => {
  if (!asked.signal.aborted) {
    askedAtMs = performance.now();
    asked.abort();
  } else if (performance.now() - askedAtMs > SAME_REQUEST_MS) {
    process.exit(130);
  }
};
process.on('SIGINT', onSignal);
process.on('SIGTERM', onSignal);
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  // The reader of our output has gone (`mandate eval | head`): there is nothing left to do.
  process.exit(error.code === 'EPIPE' ? 0 : 1);
});
// If stderr has no reader, messages are no reason to stop.
process.stderr.on('error', () => {});
sayWarnings(process, ({ name, message }) => process.stderr.write(`mandate: ${name}: ${message}\n`));
endOnUncaught(process, (error) => {
  process.stderr.write(`mandate: an error that nothing caught: ${inspect(error)}\n`);
  process.exit(1);
});

const { stdin, stdout, stderr, env } = process;
process.exitCode = await runProgram(process.argv.slice(2), {
  stdin,
  stdout,
  stderr,
  env,
  signal: asked.signal,
});
