/**
 * Everything outside a command that the command uses, such as its streams. A test replaces it, so that it can run the
 * command as a terminal does.
 */
import type { Readable, Writable } from 'node:stream';
import type { ExitCode } from './exit-codes.ts';
import type { GlobalOptions } from './global-options.ts';

/** `columns`: the number of characters in a line of the terminal. */
export type Output = Writable & { isTTY?: boolean; columns?: number };

export type ProgramContext = {
  stdin: Readable;
  stdout: Output;
  stderr: Output;
  env: Readonly<Record<string, string | undefined>>;
  /** Aborted when a person or the system asks the command to stop. */
  signal: AbortSignal;
};

/** The context of one command. `json`: the command must answer in JSON. */
export type CommandContext = ProgramContext & { globals: GlobalOptions; json: boolean };

/** Runs the work of a command with its context. The process exits with the exit code that the work returns. */
export type RunCommand = (work: (context: CommandContext) => Promise<ExitCode>) => Promise<void>;
