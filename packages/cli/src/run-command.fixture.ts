/** Runs the command within the process of the test. Input and output are streams of the test. */
import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { ExitCode } from './exit-codes.ts';
import { runProgram } from './program.ts';

export type Ran = { exitCode: ExitCode; stdout: string; stderr: string };

export async function runCommand(
  args: readonly string[],
  options: { stdin?: string | Uint8Array; env?: Record<string, string>; signal?: AbortSignal } = {},
): Promise<Ran> {
  const stdout = new PassThrough();
  const stderr = new PassThrough();
  const shown = Promise.all([text(stdout), text(stderr)]);
  const exitCode = await runProgram(args, {
    stdin: Readable.from([Buffer.from(options.stdin ?? '')]),
    stdout,
    stderr,
    env: options.env ?? {},
    signal: options.signal ?? new AbortController().signal,
  });
  stdout.end();
  stderr.end();
  const [said, complained] = await shown;
  return { exitCode, stdout: said, stderr: complained };
}
