import { join } from 'node:path';
import { Argument, type Command } from 'commander';
import type { CommandContext, RunCommand } from '../command-context.ts';
import { completionScript, SHELLS, type Shell } from '../completion/completion-script.ts';
import { ANSWER_WITHIN_MS, planeNames } from '../completion/plane-names.ts';
import { NAMED, type Named, wordsOf } from '../completion/words.ts';
import type { ExitCode } from '../exit-codes.ts';
import { write } from '../output/write.ts';
import { connect } from './connection.ts';

/** Prints a script made from the very commands that the program has, so that it cannot fall out of step. */
export function completionCommand(command: Command, run: RunCommand): void {
  command
    .description(
      'Prints a completion script for a shell; the shell then completes commands, options and their values, and with ' +
        'MANDATE_API_KEY set to a key that reads the audit, names of agents and tools.',
    )
    .addArgument(new Argument('<shell>').choices(SHELLS))
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
        await write(stdout, completionScript(shell, wordsOf(command.parent?.commands ?? [])));
        return 0;
      }),
    );
  command
    .command('names')
    .description('Prints names for the scripts, one a line; nothing where the plane does not answer at once.')
    .addArgument(new Argument('<of>').choices(NAMED))
    .action((named: Named) => run((context) => printNames(named, context)));
}

/** Who completes a word is not to be told what is wrong with a plane. */
async function printNames(named: Named, context: CommandContext): Promise<ExitCode> {
  const { env, stdout } = context;
  try {
    const signal = AbortSignal.any([context.signal, AbortSignal.timeout(ANSWER_WITHIN_MS)]);
    const api = connect({}, { ...context, signal });
    const of = [env.MANDATE_URL ?? '', env.MANDATE_QUERY_URL ?? '', env.MANDATE_API_KEY ?? ''];
    const folder = cacheFolder(env);
    const names = await planeNames(named, api, folder === null ? undefined : { folder, of });
    await write(stdout, names.map((name) => `${name}\n`).join(''));
  } catch {
    // Nothing is offered then.
  }
  return 0;
}

function cacheFolder({ XDG_CACHE_HOME, HOME, LOCALAPPDATA }: CommandContext['env']): string | null {
  const own = XDG_CACHE_HOME || (HOME && join(HOME, '.cache')) || LOCALAPPDATA;
  return own ? join(own, 'mandate', 'completion') : null;
}
