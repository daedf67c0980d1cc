import type { Command, Option } from 'commander';

/** What can stand behind a command. */
export type Words = {
  /** `dead-letters list` for a command of a command. */
  path: string;
  summary: string;
  /** Commands below it, or values of its first argument. */
  next: readonly string[];
  options: readonly OptionWords[];
};

/** `values`: those that it takes, where they are few; `takesValue`: something follows it. */
export type OptionWords = { long: string; values: readonly string[]; takesValue: boolean };

/** Of these commands and all below them. */
export function wordsOf(commands: readonly Command[], above = ''): Words[] {
  return commands.flatMap((command) => {
    const path = `${above}${command.name()}`;
    const own = {
      path,
      summary: command.summary() || command.description(),
      next: [
        ...command.commands.map((below) => below.name()),
        ...(command.registeredArguments[0]?.argChoices ?? []),
      ],
      options: [...command.options.flatMap(optionWords), { long: '--help', values: [], takesValue: false }],
    };
    return [own, ...wordsOf(command.commands, `${path} `)];
  });
}

function optionWords({ long, argChoices, required, optional }: Option): OptionWords[] {
  return long === undefined || long === null
    ? []
    : [{ long, values: argChoices ?? [], takesValue: required || optional }];
}
