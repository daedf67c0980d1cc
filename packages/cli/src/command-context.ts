/** What a command is given: the outside world, so that it can be run in a test as on a terminal. */
import type { Readable, Writable } from 'node:stream';
import type { ExitCode } from './exit-codes.ts';

/** `columns`: how many characters a line of the terminal takes. */
export type Output = Writable & { isTTY?: boolean; columns?: number };

export type CommandContext = {
  stdin: Readable;
  stdout: Output;
  stderr: Output;
  env: Readonly<Record<string, string | undefined>>;
  /** Aborts when the person or the system asks the command to stop. */
  signal: AbortSignal;
};

/** How a command hands its work over: it is run with the context, and its exit code becomes the process's. */
export type RunCommand = (work: (context: CommandContext) => Promise<ExitCode>) => Promise<void>;
