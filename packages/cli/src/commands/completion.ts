import { join } from 'node:path';
import { Argument, type Command } from 'commander';
import type { CommandContext, RunCommand } from '../command-context.ts';
import { completionScript, SHELLS, type Shell } from '../completion/completion-script.ts';
import { ANSWER_WITHIN_MS, planeNames } from '../completion/plane-names.ts';
import { NAMED, type Named, wordsOf } from '../completion/words.ts';
import { clientOf } from '../connection.ts';
import type { ExitCode } from '../exit-codes.ts';
import { write } from '../output/write.ts';
import { findConnection } from '../profiles/find-connection.ts';
import { readProfiles } from '../profiles/profile-file.ts';

/** The script is made from the commands of the program, so that it always fits them. */
export function completionCommand(command: Command, run: RunCommand): void {
  command
    .description(
      'Prints a completion script for a shell. The shell then completes commands, options and their values. With a key that ' +
        'reads the audit, it also completes the names of agents and tools.',
    )
    .addArgument(new Argument('<shell>', 'the shell').choices(SHELLS))
    .addHelpText(
      'after',
      `
Examples:
  source <(mandate completion bash)            in ~/.bashrc
  source <(mandate completion zsh)             in ~/.zshrc, after compinit
  mandate completion fish | source             in config.fish`,
    )
    .action((shell: Shell) =>
      run(async ({ stdout }) => {
        const { commands = [], options = [] } = command.parent ?? {};
        await write(stdout, completionScript(shell, wordsOf(commands, options)));
        return 0;
      }),
    );
  command
    .command('names', { hidden: true })
    .description(
      'Prints names for the scripts, one a line. Prints nothing if the plane does not answer soon.',
    )
    .addArgument(new Argument('<of>', 'what to name').choices(NAMED))
    .action((named: Named) => run((context) => printNames(named, context)));
}

/** Prints names. A failure prints nothing, because the person is only completing a word. */
async function printNames(named: Named, context: CommandContext): Promise<ExitCode> {
  const { env, stdout, globals } = context;
  try {
    const signal = AbortSignal.any([context.signal, AbortSignal.timeout(ANSWER_WITHIN_MS)]);
    const connection = findConnection(globals, env, () => readProfiles(env));
    const { url, queryUrl = '', key } = connection;
    const folder = cacheFolder(env);
    const place = folder === null ? undefined : { folder, of: [url, queryUrl, key] };
    const names = await planeNames(named, clientOf(connection, signal), place);
    await write(stdout, names.map((name) => `${name}\n`).join(''));
  } catch {
    // If the names cannot be read, the shell offers nothing.
  }
  return 0;
}

function cacheFolder({ XDG_CACHE_HOME, HOME, LOCALAPPDATA }: CommandContext['env']): string | null {
  const own = XDG_CACHE_HOME || (HOME && join(HOME, '.cache')) || LOCALAPPDATA;
  return own ? join(own, 'mandate', 'completion') : null;
}
