/**
 * Runs the `mandate` command in this process (`runMandate`), or in its own process as users do (`spawnCommand`). A
 * process costs a third of a second of CPU time. So only tests of signals, exit codes and pipes start a process.
 */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { runProgram } from '@mandate/cli';

const NO_CONFIG = join(import.meta.dirname, 'no-config-folder');
const COMMAND = join(import.meta.dirname, '../../../packages/cli/bin/mandate.mjs');

export type Ran = { exitCode: number | null; stdout: string; stderr: string };
export type RunOptions = { env?: Readonly<Record<string, string>>; stdin?: string };
/**
 * Options for a command in this process. The test can read the output while the command runs, and can stop the
 * command.
 */
export type RunHereOptions = RunOptions & { stdout?: PassThrough; signal?: AbortSignal };

/** Returns an environment without the developer's own settings. */
function cleanEnvironment(): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith('MANDATE_'));
  return { ...Object.fromEntries(own), XDG_CONFIG_HOME: NO_CONFIG };
}

export function startMandate(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): ChildProcessWithoutNullStreams {
  return spawn(process.execPath, [COMMAND, ...args], { env: { ...cleanEnvironment(), ...env } });
}

export async function runMandate(
  args: readonly string[],
  {
    env = {},
    stdin = '',
    stdout = new PassThrough(),
    signal = new AbortController().signal,
  }: RunHereOptions = {},
): Promise<Ran> {
  const stderr = new PassThrough();
  const printed = Promise.all([text(stdout), text(stderr)]);
  const exitCode = await runProgram(args, {
    stdin: Readable.from([Buffer.from(stdin)]),
    stdout,
    stderr,
    env: { ...cleanEnvironment(), ...env },
    signal,
  });
  stdout.end();
  stderr.end();
  const [out, err] = await printed;
  return { exitCode, stdout: out, stderr: err };
}

export async function spawnCommand(
  args: readonly string[],
  { env = {}, stdin = '' }: RunOptions = {},
): Promise<Ran> {
  const child = startMandate(args, env);
  const [stdout, stderr] = [text(child.stdout), text(child.stderr)];
  // A program may end before it has read all of stdin. Writing then fails, which is no fault.
  child.stdin.on('error', () => {});
  child.stdin.end(stdin);
  const [exitCode] = await once(child, 'close');
  return { exitCode, stdout: await stdout, stderr: await stderr };
}

/** Parses NDJSON into values. */
export function jsonLines<T>(stdout: string): T[] {
  return stdout.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as T]));
}
