/** Publishes a dead letter again, corrected or unchanged. */
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { CommandContext, RunCommand } from '../command-context.ts';
import { correctionOf } from '../dead-letters/correction.ts';
import {
  type FoundLetter,
  findLetter,
  type LetterReference,
  letterReference,
  placeOfLetter,
  WHICH_LETTER,
} from '../dead-letters/find-letter.ts';
import { onLines } from '../dead-letters/letter-text.ts';
import { type Change, changeIn } from '../dead-letters/set-at-pointer.ts';
import { CommandFailure, type ExitCode } from '../exit-codes.ts';
import { someText } from '../input/option-values.ts';
import { lineDiff } from '../output/line-diff.ts';
import { printable } from '../output/printable.ts';
import { paint } from '../output/table.ts';
import { write, writeJsonLine } from '../output/write.ts';
import { type ConnectionOptions, connect, withConnection } from './connection.ts';

type SendOptions = ConnectionOptions & { reason?: string; again?: true; idempotencyKey?: string };
type FixOptions = SendOptions & { file?: string; set: Change[]; unset: Change[]; dryRun?: true };
type Sent = { republicationId: string; source: { topic: string; partition: number; offset: string } };

export function fixCommand(deadLetters: Command, run: RunCommand): void {
  const fix = deadLetters
    .command('fix')
    .description(
      'Corrects one and publishes it again: in your editor, with what is wrong beside it, or by --set or --file.',
    )
    .argument('<letter>', WHICH_LETTER, letterReference)
    .addOption(
      new Option('--file <file>', 'the corrected record, JSON; - for stdin')
        .argParser(someText)
        .conflicts(['set', 'unset']),
    )
    .option(
      '--set <change>',
      '/pointer=value, JSON or else a text; as often as need be',
      collected(setting),
      [],
    )
    .option('--unset <pointer>', 'a field to take out; as often as need be', collected(unsetting), [])
    .option('--dry-run', 'show the difference, publish nothing');
  withConnection(withSending(fix))
    .addHelpText(
      'after',
      `
What still cannot be read is not published.

Examples:
  mandate dead-letters fix 3/17
  mandate dead-letters fix dlq_… --set /action/attempt=1 --reason "counts from 1"
  mandate dead-letters fix 3/17 --file mended.json --dry-run`,
    )
    .action((reference: LetterReference, options: FixOptions) =>
      run((context) => fixLetter(reference, options, context)),
    );
}

async function fixLetter(
  reference: LetterReference,
  { file, set, unset, dryRun, ...options }: FixOptions,
  context: CommandContext,
): Promise<ExitCode> {
  const { stdout } = context;
  const api = connect(options, context);
  const found = await findLetter(api, reference);
  mustBeFirst(found, options);
  const { text, path, done } = await correctionOf(found, { file, changes: [...unset, ...set] }, context);
  if (!options.json) {
    const before = onLines(found.text ?? '').split('\n');
    for (const { sign, line } of lineDiff(before, text.split('\n'))) {
      await write(stdout, `${paint(COLOURS[sign], `${sign} ${printable(line)}`, stdout)}\n`);
    }
  }
  if (!dryRun) {
    await send(found.place, `"value":${text},`, options, context).catch((error) => {
      if (path !== null) context.stderr.write(`mandate: your correction is kept: --file ${path}\n`);
      throw error;
    });
  }
  if (dryRun && options.json) await writeJsonLine(stdout, JSON.parse(text));
  if (dryRun && !options.json) await write(stdout, 'nothing was published\n');
  done();
  return 0;
}

/** Said before the person has worked on it. The plane says it once more, and knows better. */
function mustBeFirst({ republications }: FoundLetter, { again, idempotencyKey }: SendOptions): void {
  const last = republications.at(-1);
  if (last === undefined || again || idempotencyKey !== undefined) return;
  throw new CommandFailure(
    1,
    `${last.by} published it again at ${last.at} (ALREADY_REPUBLISHED)`,
    '`mandate dead-letters show` tells what became of that; --again publishes it once more.',
  );
}

export function republishCommand(deadLetters: Command, run: RunCommand): void {
  const republish = deadLetters
    .command('republish')
    .description(
      'Publishes one again as it was: for what only a newer decider reads, or a topic that was mended.',
    )
    .argument('<letter>', WHICH_LETTER, letterReference);
  withConnection(withSending(republish))
    .addHelpText(
      'after',
      '\nExample:\n  mandate dead-letters republish 3/17 --reason "the decider is upgraded"',
    )
    .action((reference: LetterReference, options: SendOptions) =>
      run(async (context) => {
        const place = await placeOfLetter(connect(options, context), reference);
        await send(place, '', options, context);
        return 0;
      }),
    );
}

function withSending(command: Command): Command {
  return command
    .option('--reason <text>', 'why; goes on the record', someText)
    .option('--again', 'also where it was published again before')
    .option('--idempotency-key <key>', 'the same key again counts once', someText);
}

/** @param value the corrected record as a member of the body, or nothing */
async function send(
  { partition, offset }: { partition: number; offset: number },
  value: string,
  options: SendOptions,
  context: CommandContext,
): Promise<void> {
  const { reason, again = false, idempotencyKey } = options;
  const path = `/v1/dead-letters/${partition}/${offset}/republish`;
  // The record goes as it was written and read here: the plane's strict reader is to see every digit of it.
  const body = `{${value}${reason === undefined ? '' : `"reason":${JSON.stringify(reason)},`}"again":${again}}`;
  const sent = await connect(options, context).postText<Sent>(path, body, { idempotencyKey });
  if (options.json) return writeJsonLine(context.stdout, sent);
  const where = `${sent.source.topic}/${sent.source.partition}/${sent.source.offset}`;
  await write(context.stdout, `published ${partition}/${offset} again, as ${where}\n`);
}

const COLOURS = { ' ': 'dim', '-': 'red', '+': 'green' } as const;

function setting(text: string): Change {
  const change = changeIn(text);
  if (change === null) throw new InvalidArgumentError('Give /pointer=value, such as /action/attempt=1.');
  return change;
}

function unsetting(pointer: string): Change {
  if (pointer.startsWith('/')) return { pointer, value: undefined };
  throw new InvalidArgumentError('Give a JSON pointer, such as /action/colour.');
}

/** An option that may be given more than once. */
function collected<T>(read: (text: string) => T): (text: string, before: readonly T[]) => readonly T[] {
  return (text, before) => [...before, read(text)];
}
