/** The command as its users run it: in a process of its own. */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

const COMMAND = join(import.meta.dirname, '../../../packages/cli/bin/mandate.mjs');

export type Ran = { exitCode: number | null; stdout: string; stderr: string };
export type RunOptions = { env?: Readonly<Record<string, string>>; stdin?: string };

/** An environment in which nothing of the person's own is set. */
function cleanEnvironment(): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith('MANDATE_'));
  return Object.fromEntries(own);
}

export function startMandate(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): ChildProcessWithoutNullStreams {
  return spawn(process.execPath, [COMMAND, ...args], { env: { ...cleanEnvironment(), ...env } });
}

export async function runMandate(
  args: readonly string[],
  { env = {}, stdin = '' }: RunOptions = {},
): Promise<Ran> {
  const child = startMandate(args, env);
  const [stdout, stderr] = [text(child.stdout), text(child.stderr)];
  // Who reads nothing of a long stdin may have gone already.
  child.stdin.on('error', () => {});
  child.stdin.end(stdin);
  const [exitCode] = await once(child, 'close');
  return { exitCode, stdout: await stdout, stderr: await stderr };
}

/** NDJSON, as values. */
export function jsonLines<T>(stdout: string): T[] {
  return stdout.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as T]));
}
