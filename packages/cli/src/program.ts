/** The `mandate` command. Each subcommand has a file under commands/, which is loaded only for this subcommand. */
import { Command, type Option } from 'commander';
import type { ProgramContext, RunCommand } from './command-context.ts';
import { type ExitCode, reportFailure } from './exit-codes.ts';
import { acceptFilesWithoutOption, refuseFilesWithoutOption } from './files-need-option.ts';
import { type GlobalOptions, withGlobals } from './global-options.ts';
import { refuseWithoutEffect } from './options-without-effect.ts';
import { printableLines } from './output/printable.ts';
import { writeFaults } from './output/write-faults.ts';
import { SUBCOMMANDS, type Subcommand } from './subcommands.ts';
import { VERSION } from './version.ts';

const EPILOGUE = `
Exit codes: 0 done, 1 failed, 2 wrong use or bad input, 3 done with a bad
  finding, such as a refusal or drift
Environment: MANDATE_PROFILE, MANDATE_URL, MANDATE_QUERY_URL,
  MANDATE_ALERTER_URL, MANDATE_CONTROL_URL, MANDATE_RUNNER_URL,
  MANDATE_API_KEY, NO_COLOR. Settings of a plane: docs/operations.md

Examples:
  mandate up                             run a plane, which prints its keys once
  mandate login                          keep its address and your key
  mandate apply -f policies/             say what agents may do
  mandate publish --agent bot --tool search      ask, and see the decision
  mandate tail                           follow the decisions
  mandate kill bot --reason "loops"      stop an agent`;

/** The highest number of columns in the help. A narrower terminal gets a narrower help. */
const HELP_COLUMNS = 80;

/**
 * The maximum number of choices of an option that its help lists. If an option has more choices, only the error message
 * for a wrong value lists them.
 */
const MOST_CHOICES = 12;

/** Parses `args` (without node and script), runs the command, and returns its exit code. Never throws. */
export async function runProgram(args: readonly string[], context: ProgramContext): Promise<ExitCode> {
  let exitCode: ExitCode = 0;
  try {
    const program = await buildProgram(args, context, async (work) => {
      const globals: GlobalOptions = program.opts();
      const json = globals.json === true;
      try {
        exitCode = await work({ ...context, globals, json });
      } catch (error) {
        if (json) await writeFaults(context.stdout, error);
        throw error;
      }
    });
    await program.parseAsync(helpAsked(args, program), { from: 'user' });
    return exitCode;
  } catch (error) {
    return reportFailure(error, context);
  }
}

/**
 * Makes the program with the names of all subcommands. Only the subcommands in `args` are loaded with their options,
 * so that for example `--help` does not wait for a database engine. The completion script loads all subcommands.
 */
async function buildProgram(
  args: readonly string[],
  { stdout, stderr }: Pick<ProgramContext, 'stdout' | 'stderr'>,
  run: RunCommand,
): Promise<Command> {
  const columns = Math.min(stdout.columns ?? HELP_COLUMNS, HELP_COLUMNS);
  const program = withGlobals(new Command('mandate'))
    .description('Decides each action of an AI agent before it runs, and keeps the proof.')
    .version(VERSION)
    .addHelpCommand(
      new Command('help [command]')
        .helpOption(false)
        .description('show the help of a command')
        .helpGroup('Start:'),
    )
    .exitOverride()
    .showHelpAfterError('(--help says more)')
    .showSuggestionAfterError()
    .configureHelp({ minWidthToWrap: 20, optionDescription })
    .configureOutput({
      writeOut: (text) => stdout.write(text),
      writeErr: (text) => stderr.write(printableLines(text)),
      getOutHelpWidth: () => columns,
      getErrHelpWidth: () => columns,
    })
    .addHelpText('after', EPILOGUE)
    .hook('preAction', (_program, command) => {
      refuseFilesWithoutOption(command);
      refuseWithoutEffect(command);
    });
  const all = args.includes('completion') && !args.includes('names');
  for (const subcommand of SUBCOMMANDS) {
    if (all || args.includes(subcommand.name)) await addCommand(program, subcommand, run);
    else named(program, subcommand);
  }
  return program;
}

function named(program: Command, { name, group, summary }: Omit<Subcommand, 'load'>): Command {
  return program.command(name).helpGroup(group).summary(summary);
}

export async function addCommand(program: Command, subcommand: Subcommand, run: RunCommand): Promise<void> {
  const command = named(program, subcommand);
  (await subcommand.load())(command, run);
  withoutHelpCommands(command);
  acceptFilesWithoutOption(command);
}

/**
 * Removes the subcommand `help` of each command, because it would be in every list of commands. `mandate help agents
 * list` still works.
 */
function withoutHelpCommands(command: Command): void {
  command.helpCommand(false).commands.forEach(withoutHelpCommands);
}

function optionDescription({
  description,
  argChoices,
  defaultValue,
  defaultValueDescription,
}: Option): string {
  const listed = argChoices !== undefined && argChoices.length <= MOST_CHOICES;
  const choices = listed ? [`one of ${argChoices.join(', ')}`] : [];
  const isShown = ['string', 'number'].includes(typeof defaultValue);
  const otherwise = isShown ? [`default ${defaultValueDescription ?? defaultValue}`] : [];
  const more = [...choices, ...otherwise].join('; ');
  return more === '' ? description : `${description} (${more})`;
}

/**
 * Reads `help agents list` as `agents list --help`. For an unknown command, returns only its name, so that the error
 * message names it.
 */
function helpAsked(args: readonly string[], program: Command): string[] {
  const [first, ...path] = args;
  const [name = '--help'] = path;
  if (first !== 'help' || name === 'help' || name.startsWith('-')) return [...args];
  return program.commands.some((command) => command.name() === name) ? [...path, '--help'] : [name];
}
