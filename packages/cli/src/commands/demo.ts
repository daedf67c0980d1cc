import type { DemoOptions, DemoView } from '@mandate/demo';
import type { Command } from 'commander';
import { SPEND } from '../audit/questions.ts';
import type { Output, RunCommand } from '../command-context.ts';
import { CommandFailure } from '../exit-codes.ts';
import { wholeNumber } from '../input/option-values.ts';
import { decisionLine } from '../output/decision-line.ts';
import { counted } from '../output/for-people.ts';
import { shadowInWords } from '../output/shadow-in-words.ts';
import { type Row, showAnswerRows } from '../output/show-answer-rows.ts';
import { paint } from '../output/table.ts';
import { write } from '../output/write.ts';

export function demoCommand(command: Command, run: RunCommand): void {
  command
    .description(
      'Starts a plane in a temporary folder, and agents whose tools are real MCP servers. Some agents misbehave. Shows their ' +
        'decisions, kills an agent, and reconciles log, ledger and audit. Exit code 0 if all agree.',
    )
    .option('--keep', 'keep it running at the end, with its address and keys', false)
    .option(
      '--port <port>',
      'the port of the plane; 0 is any free port',
      wholeNumber({ min: 0, max: 65_535 }),
      0,
    )
    .addHelpText('after', '\nExamples:\n  mandate demo\n  mandate demo --keep --port 7420')
    .action((options: DemoOptions) =>
      run(async (context) => {
        const { runDemo } = await import('@mandate/demo').catch(rethrowAsNotHere);
        return (await runDemo(options, printedOn(context.stdout), context.signal)) ? 0 : 1;
      }),
    );
}

function printedOn(stdout: Output): DemoView {
  return {
    say: (text) => write(stdout, `${text}\n`),
    title: (text) => write(stdout, `\n${paint('bold', text, stdout)}\n`),
    decision: (decision) => void stdout.write(`${decisionLine(decision, stdout, Date.now())}\n`),
    async table(title, question, rows) {
      await write(stdout, `\n${title}\n`);
      await showAnswerRows(rows as readonly Row[], stdout, question === 'spend' ? SPEND : {});
    },
    shadow: shadowInWords,
    counted,
  };
}

/** A container image has no demo, because the image does not contain the servers of the demo's tools. */
function rethrowAsNotHere(error: unknown): never {
  const isMissing = error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND';
  if (!isMissing) throw error;
  throw new CommandFailure(
    1,
    'this installation has no demo',
    'Run `npm run demo` in a clone of the repository.',
  );
}
