/** The end of a command: its exit code, and its message on stderr if it fails. */
import type { Writable } from 'node:stream';
import { CommanderError } from 'commander';
import { printableLines } from './output/printable.ts';

/**
 * 0: done. 1: failed. 2: wrong use or bad input. 3: done, but the result is bad, such as drift or a refusal. 130:
 * stopped before it was done.
 */
export type ExitCode = 0 | 1 | 2 | 3 | 130;

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

/** Ends a command that was used wrongly, or that got bad input. */
export class WrongUse extends CommandFailure {
  constructor(message: string, remedy?: string) {
    super(2, message, remedy);
  }
}

/** Writes the failure to stderr. Returns the exit code. */
export function reportFailure(
  error: unknown,
  { stderr, signal }: { stderr: Writable; signal: AbortSignal },
): ExitCode {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  // Ctrl-C or Ctrl-D at a prompt rejects the prompt with an AbortError. The signal is not aborted then.
  if (signal.aborted || (error instanceof Error && error.name === 'AbortError')) return 130;
  if (error instanceof Error && 'code' in error && error.code === 'EPIPE') return 0;
  stderr.write(printableLines(`mandate: ${linesOf(error).join('\n  ')}\n`));
  if (error instanceof CommandFailure) return error.exitCode;
  return error instanceof Error && 'code' in error && BAD_INPUT.has(error.code) ? 2 : 1;
}

/** Errors about a document, a setting or an option that a person wrote. */
const BAD_INPUT: ReadonlySet<unknown> = new Set([
  'CONFIG_INVALID',
  'MANDATES_INVALID',
  'PRIVACY_INVALID',
  'ALERT_RULES_INVALID',
  'CASES_INVALID',
  'DOCUMENTS_INVALID',
  'DOCUMENTS_REFUSED',
  'FILE_UNREADABLE',
  'LOG_OF_OTHER_PLANE',
]);

/** The message of the error, its cause, and its remedy. */
function linesOf(error: unknown): string[] {
  if (!(error instanceof Error)) return [String(error)];
  const { message: why } = error.cause instanceof Error ? error.cause : { message: '' };
  const cause = error.message.includes(why) ? [] : [`The cause: ${why}`];
  const remedy = 'remedy' in error && typeof error.remedy === 'string' ? [error.remedy] : [];
  return [error.message, ...cause, ...remedy].filter((line) => line !== '');
}
