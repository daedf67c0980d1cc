/** The process of the `mandate` command. Only this module of the package uses `process`. */
import { enableCompileCache } from 'node:module';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { setFlagsFromString } from 'node:v8';
// These two modules are imported by path, because most commands need nothing else of the package to start.
import { endOnUncaught } from '@mandate/runtime/end-on-uncaught';
import { sayWarnings } from '@mandate/runtime/say-warnings';

/** The parent of this process. It is read first, because the parent may end while modules are loaded. */
const { ppid } = process;

// Compiled code is kept beside the packages, where only users who can change the packages can write.
enableCompileCache(join(import.meta.dirname, '../node_modules/.cache/compiled'));
// A client starts a proxy for each of its MCP servers, so memory counts more than speed: 150 MB instead of 190. The flag
// has an effect only before most modules are loaded.
if (process.argv[2] === 'mcp' && !process.argv.includes('--listen'))
  setFlagsFromString('--optimize-for-size');
const { runProgram } = await import('./program.ts');

/**
 * Signals within this time belong to the same Ctrl-C: the terminal and each parent npm process pass the signal on.
 */
const SAME_REQUEST_MS = 1_000;

/** How often a command under npx checks whether npx still runs. */
const LOOK_FOR_PARENT_MS = 250;

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
// At SIGTERM npx ends without a signal to this process. This process then gets another parent. Every process below
// npx inherits these variables, so the script in them must be `mandate`.
const { npm_command, npm_lifecycle_event, npm_lifecycle_script = '' } = process.env;
const isUnderNpx =
  npm_command === 'exec' && npm_lifecycle_event === 'npx' && /^\W*mandate\b/.test(npm_lifecycle_script);
if (isUnderNpx)
  setInterval(() => {
    if (process.ppid !== ppid && !asked.signal.aborted) onSignal();
  }, LOOK_FOR_PARENT_MS).unref();
process.on('SIGINT', onSignal);
process.on('SIGTERM', onSignal);
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  // The reader of the output has ended, as in `mandate eval | head`, so the command ends too.
  process.exit(error.code === 'EPIPE' ? 0 : 1);
});
// Errors of stderr are ignored, so a command continues if stderr has no reader.
process.stderr.on('error', () => {});
sayWarnings(process, ({ name, message }) => process.stderr.write(`mandate: ${name}: ${message}\n`));
endOnUncaught(process, (error) => {
  process.stderr.write(`mandate: an uncaught error: ${inspect(error)}\n`);
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
