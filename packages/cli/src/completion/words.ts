import type { Command, Option } from 'commander';

export type Words = {
  /** The names of the command and of its parent commands, such as `agents keys list`. */
  path: string;
  summary: string;
  /** The subcommands of the command, or the values of its first argument. */
  next: readonly string[];
  /** `agents` or `tools` if the first argument is a name that the plane can complete. Otherwise null. */
  names: Named | null;
  options: readonly OptionWords[];
};

/**
 * `values`: the allowed values, if they are few. `takesValue`: a value follows the option. `names`: the kind of names
 * that the plane can complete.
 */
export type OptionWords = {
  long: string;
  values: readonly string[];
  takesValue: boolean;
  names: Named | null;
};

export const NAMED = ['agents', 'tools'] as const;
export type Named = (typeof NAMED)[number];

/** The kind of names, by the name of the argument or option. */
const NAMES_OF: Readonly<Record<string, Named>> = { agent: 'agents', tool: 'tools' };

/** Returns the words of these commands and of their subcommands. Each command has the global options. */
export function wordsOf(commands: readonly Command[], globals: readonly Option[], above = ''): Words[] {
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
      options: [...command.options, ...globals.filter(({ long }) => long !== '--version')]
        .flatMap(optionWords)
        .concat(HELP),
    };
    return [own, ...wordsOf(command.commands, globals, `${path} `)];
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
