import { Argument, type Command } from 'commander';
import type { RunCommand } from '../command-context.ts';
import { completionScript, SHELLS, type Shell } from '../completion/completion-script.ts';
import { wordsOf } from '../completion/words.ts';
import { write } from '../output/write.ts';

/** Prints a script made from the very commands that the program has, so that it cannot fall out of step. */
export function completionCommand(command: Command, run: RunCommand): void {
  command
    .description(
      'Prints a completion script for a shell; the shell then completes commands, options and their values.',
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
}
