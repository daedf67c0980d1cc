import type { Command, Option } from 'commander';

/** What can stand behind a command. */
export type Words = {
  /** `dead-letters list` for a command of a command. */
  path: string;
  summary: string;
  /** Commands below it, or values of its first argument. */
  next: readonly string[];
  /** What the plane knows names for, where the first argument is one of these. */
  names: Named | null;
  options: readonly OptionWords[];
};

/** `values`: those that it takes, where they are few; `takesValue`: something follows it; `names`: as above. */
export type OptionWords = {
  long: string;
  values: readonly string[];
  takesValue: boolean;
  names: Named | null;
};

/** What the plane is asked for the names of. */
export const NAMED = ['agents', 'tools'] as const;
export type Named = (typeof NAMED)[number];

/** By what arguments and options are called. */
const NAMES_OF: Readonly<Record<string, Named>> = { agent: 'agents', tool: 'tools' };

/** The words of these commands and of all commands below them. */
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
      names: NAMES_OF[command.registeredArguments[0]?.name() ?? ''] ?? null,
      options: [...command.options.flatMap(optionWords), HELP],
    };
    return [own, ...wordsOf(command.commands, `${path} `)];
  });
}

const HELP: OptionWords = { long: '--help', values: [], takesValue: false, names: null };

function optionWords({ long, argChoices, required, optional }: Option): OptionWords[] {
  return long === undefined || long === null
    ? []
    : [
        {
          long,
          values: argChoices ?? [],
          takesValue: required || optional,
          names: NAMES_OF[long.slice(2)] ?? null,
        },
      ];
}
