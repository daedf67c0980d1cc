/** Publishes a dead letter again, unchanged or with a corrected record from a file. */
import { lineDiff } from '@mandate/documents';
import type { Command } from 'commander';
import type { CommandContext, RunCommand } from '../command-context.ts';
import { connect } from '../connection.ts';
import {
  type FoundLetter,
  findLetter,
  type LetterReference,
  letterReference,
  WHICH_LETTER,
} from '../dead-letters/find-letter.ts';
import { onLines, readText } from '../dead-letters/letter-text.ts';
import { type ExitCode, WrongUse } from '../exit-codes.ts';
import { readText as readInput } from '../input/open-input.ts';
import { someText } from '../input/option-values.ts';
import { printable } from '../output/printable.ts';
import { paint } from '../output/table.ts';
import { showAnswer, write } from '../output/write.ts';

type RepublishOptions = {
  file?: string;
  dryRun?: true;
  reason?: string;
  again?: true;
  idempotencyKey?: string;
};
type Sent = { republicationId: string; source: { topic: string; partition: number; offset: string } };

export function republishCommand(deadLetters: Command, run: RunCommand): void {
  deadLetters
    .command('republish')
    .description(
      'Publishes a dead letter again, unchanged or corrected. A record that still cannot be read is not sent. Scope operate:all.',
    )
    .argument('<letter>', WHICH_LETTER, letterReference)
    .option('--file <file>', 'the corrected record as JSON; - reads stdin', someText)
    .option('--dry-run', 'show the difference, and publish nothing')
    .option('--reason <text>', 'why; kept on the record', someText)
    .option('--again', 'also if it was published again before')
    .option('--idempotency-key <key>', 'the same key again publishes nothing', someText)
    .addHelpText(
      'after',
      `
Examples:
  mandate dead-letters show 3/17 --json | jq -r .text > record.json
  mandate dead-letters republish 3/17 --file record.json --dry-run
  mandate dead-letters republish 3/17 --reason "the decider is upgraded"`,
    )
    .action((reference: LetterReference, options: RepublishOptions) =>
      run((context) => republishLetter(reference, options, context)),
    );
}

async function republishLetter(
  reference: LetterReference,
  options: RepublishOptions,
  context: CommandContext,
): Promise<ExitCode> {
  const { file, dryRun = false } = options;
  const { json } = context;
  const found = await findLetter(connect(context), reference);
  const corrected = file === undefined ? null : mustRead(await readInput(file, context), file);
  if (corrected !== null && !json) await writeDifference(found, corrected, context);
  if (!dryRun) await send(found, corrected, options, context);
  else
    await showAnswer(
      context,
      corrected === null ? found : JSON.parse(corrected),
      () => 'nothing was published\n',
    );
  return 0;
}

function mustRead(text: string, file: string): string {
  const read = readText(text);
  if (read.ok) return onLines(text);
  const { line, column, reason, remedy } = read.fault;
  throw new WrongUse(
    `the correction in ${file} cannot be read either: line ${line}, column ${column}: ${reason}`,
    `Nothing was published: ${remedy}.`,
  );
}

async function writeDifference(
  { text }: FoundLetter,
  corrected: string,
  { stdout }: CommandContext,
): Promise<void> {
  for (const { sign, line } of lineDiff(onLines(text ?? '').split('\n'), corrected.split('\n'))) {
    await write(stdout, `${paint(COLOURS[sign], `${sign} ${printable(line)}`, stdout)}\n`);
  }
}

const COLOURS = { ' ': 'dim', '-': 'red', '+': 'green' } as const;

async function send(
  { place: { partition, offset } }: FoundLetter,
  corrected: string | null,
  options: RepublishOptions,
  context: CommandContext,
): Promise<void> {
  const { reason, again = false, idempotencyKey } = options;
  const path = `/v1/dead-letters/${partition}/${offset}/republish`;
  // The text of the record is sent unchanged, because the strict reader of the plane must see every digit.
  const value = corrected === null ? '' : `"value":${corrected},`;
  const body = `{${value}${reason === undefined ? '' : `"reason":${JSON.stringify(reason)},`}"again":${again}}`;
  const sent = await connect(context).postText<Sent>(path, body, { idempotencyKey });
  const where = `${sent.source.topic}/${sent.source.partition}/${sent.source.offset}`;
  await showAnswer(context, sent, () => `published ${partition}/${offset} again, as ${where}\n`);
}
