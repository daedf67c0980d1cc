/** The `mandate` command. Every subcommand has a file under commands/, which is loaded when the subcommand is used. */
import { Command } from 'commander';
import type { CommandContext, RunCommand } from './command-context.ts';
import { type ExitCode, reportFailure } from './exit-codes.ts';
import { printableLines } from './output/printable.ts';
import { SUBCOMMANDS } from './subcommands.ts';
import { VERSION } from './version.ts';

const EPILOGUE = `
Exit codes: 0 done · 1 failed · 2 wrong use or bad input · 3 done, and what was found is bad
Environment: MANDATE_URL (default http://127.0.0.1:7420), MANDATE_QUERY_URL and
  MANDATE_ALERTER_URL (default the same), MANDATE_API_KEY, NO_COLOR;
  of the plane: see docs/operations.md

Examples:
  mandate up                                  run the plane here; the first start prints its API keys
  mandate validate mandates.yaml              check what agents may do, before it is in force
  mandate publish --agent bot --tool search   ask whether an agent may, and see the decision
  mandate tail                                decisions as they fall
  mandate kill bot --reason "loops"           stop an agent`;

/** Parses `args` (without node and script), runs the command, and says how it ended. Never throws. */
export async function runProgram(args: readonly string[], context: CommandContext): Promise<ExitCode> {
  let exitCode: ExitCode = 0;
  const run: RunCommand = async (work) => {
    exitCode = await work(context);
  };
  try {
    const program = await buildProgram(args, context, run);
    await program.parseAsync(helpAsked(args, program), { from: 'user' });
    return exitCode;
  } catch (error) {
    return reportFailure(error, context);
  }
}

/**
 * The program with every subcommand's name, and the options of those that `args` name: the others are not loaded, so that
 * `--help` need not wait for a database engine. The completion script asks for all of them.
 */
async function buildProgram(
  args: readonly string[],
  context: Pick<CommandContext, 'stdout' | 'stderr'>,
  run: RunCommand,
): Promise<Command> {
  const program = new Command('mandate')
    .description(
      'Decides, before each action of an AI agent, whether it may, and proves afterwards what happened.',
    )
    .version(VERSION)
    .exitOverride()
    .showHelpAfterError('(--help says more)')
    .showSuggestionAfterError()
    .configureOutput({
      writeOut: (text) => context.stdout.write(text),
      writeErr: (text) => context.stderr.write(printableLines(text)),
    })
    .addHelpText('after', EPILOGUE);
  const all = args.includes('completion') && !args.includes('names');
  for (const { name, summary, load } of SUBCOMMANDS) {
    const command = program.command(name).summary(summary);
    if (all || args.includes(name)) (await load())(command, run);
  }
  return program;
}

/** Help on a command that there is not would be help on something else: then the name is the mistake to talk about. */
function helpAsked(args: readonly string[], program: Command): string[] {
  const [first, name = '--help'] = args;
  const isKnown = name.startsWith('-') || program.commands.some((command) => command.name() === name);
  return first === 'help' && name !== 'help' && !isKnown ? [name] : [...args];
}
