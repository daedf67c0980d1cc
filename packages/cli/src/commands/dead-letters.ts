import { type Command, InvalidArgumentError, Option } from 'commander';
import type { CommandContext, ExitCode, RunCommand } from '../command-context.ts';
import { correctionOf } from '../dead-letters/correction.ts';
import {
  findLetter,
  type Letter,
  type LetterReference,
  letterReference,
  placeOfLetter,
} from '../dead-letters/find-letter.ts';
import { onLines } from '../dead-letters/letter-text.ts';
import { type Change, changeIn } from '../dead-letters/set-at-pointer.ts';
import { letterText } from '../dead-letters/show-letter.ts';
import { someText, wholeNumber } from '../input/option-values.ts';
import { lineDiff } from '../output/line-diff.ts';
import { printable } from '../output/printable.ts';
import { showRows } from '../output/show-rows.ts';
import { paint } from '../output/table.ts';
import { write, writeJsonLine } from '../output/write.ts';
import { rowsOf } from '../pages.ts';
import { type ConnectionOptions, connect, withConnection } from './connection.ts';

type Listed = Letter & { partition: number; offset: number };
/** As the audit has it: without the bytes. */
type Audited = { id: string; foundAt: string; reason: string; log: { partition: number; offset: number } };
type Page<Row> = { deadLetters: readonly Row[]; next: string | null };
type Sent = { republicationId: string; source: { topic: string; partition: number; offset: string } };
type SendOptions = ConnectionOptions & { reason?: string; again?: true; idempotencyKey?: string };
type FixOptions = SendOptions & { file?: string; set: Change[]; unset: Change[]; dryRun?: true };

const PAGE = 200;
const WHICH = 'partition/offset as `dead-letters list` shows it, or its id';

export function deadLettersCommand(command: Command, run: RunCommand): void {
  command.description('Works on what could not be read; a key with the scope operate:all is needed.');
  listCommand(command, run);
  showCommand(command, run);
  fixCommand(command, run);
  republishCommand(command, run);
}

function listCommand(deadLetters: Command, run: RunCommand): void {
  const list = deadLetters
    .command('list')
    .description('Shows the newest, with what is wrong with them.')
    .option('--open', 'those that nobody has published again yet, from the audit')
    .option('--limit <count>', 'how many', wholeNumber({ min: 1, max: 1_000_000 }), 50)
    .addHelpText(
      'after',
      `
Examples:
  mandate dead-letters list --open
  mandate dead-letters list --json | jq -r .id`,
    );
  withConnection(list).action((options: ConnectionOptions & { limit: number; open?: true }) =>
    run(async (context) => {
      const api = connect(options, context);
      const json = options.json === true;
      if (options.open) {
        const path = '/v1/audit/dead-letters';
        const list = { path, query: { republished: false }, cursor: 'cursor', pageSize: PAGE };
        const rows = ({ deadLetters }: Page<Audited>) => deadLetters;
        await showRows(context.stdout, rowsOf(api, { ...list, rows }, options.limit), {
          json,
          columns: OPEN_COLUMNS,
          empty: 'no dead letter is open',
        });
        return 0;
      }
      const list = { path: '/v1/dead-letters', cursor: 'before', pageSize: PAGE };
      const rows = ({ deadLetters }: Page<Listed>) => deadLetters;
      await showRows(context.stdout, rowsOf(api, { ...list, rows }, options.limit), {
        json,
        columns: COLUMNS,
        empty: 'no dead letters',
      });
      return 0;
    }),
  );
}

function showCommand(deadLetters: Command, run: RunCommand): void {
  const show = deadLetters
    .command('show')
    .description('Shows one: what is wrong with it and where, what came, and what was done about it.')
    .argument('<letter>', WHICH, letterReference)
    .addHelpText(
      'after',
      `
By its id, the audit also tells what became of what was published again.

Examples:
  mandate dead-letters show 3/17
  mandate dead-letters show dlq_… --json | jq -r .text`,
    );
  withConnection(show).action((reference: LetterReference, options: ConnectionOptions) =>
    run(async (context) => {
      const found = await findLetter(connect(options, context), reference);
      if (options.json) await writeJsonLine(context.stdout, found);
      else await write(context.stdout, letterText(found, context.stdout));
      return 0;
    }),
  );
}

function fixCommand(deadLetters: Command, run: RunCommand): void {
  const fix = deadLetters
    .command('fix')
    .description(
      'Corrects one and publishes it again: in your editor, with what is wrong beside it, or by --set or --file.',
    )
    .argument('<letter>', WHICH, letterReference)
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
  const { text, done } = await correctionOf(found, { file, changes: [...unset, ...set] }, context);
  if (!options.json) {
    const before = onLines(found.text ?? '').split('\n');
    for (const { sign, line } of lineDiff(before, text.split('\n'))) {
      await write(stdout, `${paint(COLOURS[sign], `${sign} ${printable(line)}`, stdout)}\n`);
    }
  }
  if (!dryRun) await send(found.place, `"value":${text},`, options, context);
  else if (!options.json) await write(stdout, 'nothing was published\n');
  else await writeJsonLine(stdout, JSON.parse(text));
  done();
  return 0;
}

function republishCommand(deadLetters: Command, run: RunCommand): void {
  const republish = deadLetters
    .command('republish')
    .description(
      'Publishes one again as it was: for what only a newer decider reads, or a topic that was mended.',
    )
    .argument('<letter>', WHICH, letterReference);
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

const COLUMNS = [
  { title: 'PLACE', of: ({ partition, offset }: Listed) => `${partition}/${offset}` },
  { title: 'AT', of: ({ at }: Listed) => at },
  { title: 'KEY', of: ({ key }: Listed) => key ?? '' },
  { title: 'BYTES', of: ({ bytes }: Listed) => String(bytes), align: 'right' as const },
  { title: 'WRONG', of: ({ fault }: Listed) => `${fault.line}:${fault.column} ${fault.reason}` },
];

const OPEN_COLUMNS = [
  { title: 'PLACE', of: ({ log }: Audited) => `${log.partition}/${log.offset}` },
  { title: 'AT', of: ({ foundAt }: Audited) => foundAt },
  { title: 'ID', of: ({ id }: Audited) => id },
  { title: 'WRONG', of: ({ reason }: Audited) => reason },
];

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
