/**
 * Some commands take files as arguments (`mandate test tutor`), and others take them with --file, because they have
 * other arguments or can work without files. The error for a file without the option names the option.
 */
import type { Command } from 'commander';
import { WrongUse } from './exit-codes.ts';

/** Lets the parser accept arguments of the commands that take files only with --file. */
export function acceptFilesWithoutOption(command: Command): void {
  if (takesFilesWithOption(command)) command.allowExcessArguments();
  command.commands.forEach(acceptFilesWithoutOption);
}

/** Throws if files were named without the option. */
export function refuseFilesWithoutOption(command: Command): void {
  const { args, registeredArguments } = command;
  const excess = args.slice(registeredArguments.length);
  if (excess.length === 0 || !takesFilesWithOption(command)) return;
  throw new WrongUse(
    `\`${command.name()}\` takes no argument like ${excess.join(' ')}`,
    `Name files with --file: --file ${excess.join(' ')}`,
  );
}

function takesFilesWithOption({ options }: Command): boolean {
  return options.some(({ long }) => long === '--file');
}
