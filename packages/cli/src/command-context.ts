/** What a command is given: the outside world, so that it can be run in a test as on a terminal. */
import type { Readable, Writable } from 'node:stream';

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

/**
 * 0 done; 1 failed; 2 wrong use or bad input; 3 done, and what was found is bad (drift, a refusal asked about); 130
 * stopped before it was done.
 */
export type ExitCode = 0 | 1 | 2 | 3 | 130;

/** Ends a command with a text for the person and an exit code. */
export class CommandFailure extends Error {
  readonly exitCode: ExitCode;
  readonly remedy: string | undefined;

  constructor(exitCode: ExitCode, message: string, remedy?: string) {
    super(message);
    this.name = 'CommandFailure';
    this.exitCode = exitCode;
    this.remedy = remedy;
  }
}

/** How a command hands its work over: it is run with the context, and its exit code becomes the process's. */
export type RunCommand = (work: (context: CommandContext) => Promise<ExitCode>) => Promise<void>;
