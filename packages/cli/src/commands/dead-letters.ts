import { rowsOf } from '@mandate/client';
import type { Command } from 'commander';
import type { RunCommand } from '../command-context.ts';
import {
  findLetter,
  type Letter,
  type LetterReference,
  letterReference,
  WHICH_LETTER,
} from '../dead-letters/find-letter.ts';
import { letterText } from '../dead-letters/show-letter.ts';
import { wholeNumber } from '../input/option-values.ts';
import type { FittingColumn } from '../output/fit-columns.ts';
import { shownTime } from '../output/relative-time.ts';
import { nowOn } from '../output/show-fitted.ts';
import { showRows } from '../output/show-rows.ts';
import { write, writeJsonLine } from '../output/write.ts';
import { type ConnectionOptions, connect, withConnection } from './connection.ts';
import { republishCommand } from './republish-dead-letter.ts';

type Listed = Letter & { partition: number; offset: number };
/** As the audit has it: without the bytes. */
type Audited = { id: string; foundAt: string; reason: string; log: { partition: number; offset: number } };
type Page<Row> = { deadLetters: readonly Row[]; next: string | null };

const PAGE = 200;
const REST = '--json has all';

export function deadLettersCommand(command: Command, run: RunCommand): void {
  command.description('Works on what could not be read; a key with the scope operate:all is needed.');
  listCommand(command, run);
  showCommand(command, run);
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
          columns: openColumns(nowOn(context.stdout)),
          empty: 'no dead letter is open',
          rest: REST,
        });
        return 0;
      }
      const list = { path: '/v1/dead-letters', cursor: 'before', pageSize: PAGE };
      const rows = ({ deadLetters }: Page<Listed>) => deadLetters;
      await showRows(context.stdout, rowsOf(api, { ...list, rows }, options.limit), {
        json,
        columns: columns(nowOn(context.stdout)),
        empty: 'no dead letters',
        rest: REST,
      });
      return 0;
    }),
  );
}

function showCommand(deadLetters: Command, run: RunCommand): void {
  const show = deadLetters
    .command('show')
    .description('Shows one: what is wrong with it and where, what came, and what was done about it.')
    .argument('<letter>', WHICH_LETTER, letterReference)
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

const foremost = { cuttable: false, foremost: true } as const;

/** The id, by which the audit tells more, before what one can look up with it. */
function columns(nowMs: number | null): readonly FittingColumn<Listed>[] {
  return [
    { title: 'PLACE', of: ({ partition, offset }) => `${partition}/${offset}`, ...foremost, rank: 0 },
    { title: 'ID', of: ({ id }) => id, ...foremost, rank: 1 },
    { title: 'AT', of: ({ at }) => shownTime(at, nowMs), ...foremost, rank: 2 },
    { title: 'KEY', of: ({ key }) => key ?? '', cuttable: true, foremost: false, rank: 4 },
    {
      title: 'BYTES',
      of: ({ bytes }) => String(bytes),
      ...foremost,
      foremost: false,
      align: 'right',
      rank: 5,
    },
    {
      title: 'WRONG',
      of: ({ fault }) => `${fault.line}:${fault.column} ${fault.reason}`,
      cuttable: true,
      foremost: true,
      rank: 3,
    },
  ];
}

function openColumns(nowMs: number | null): readonly FittingColumn<Audited>[] {
  return [
    { title: 'PLACE', of: ({ log }) => `${log.partition}/${log.offset}`, ...foremost, rank: 0 },
    { title: 'ID', of: ({ id }) => id, ...foremost, rank: 1 },
    { title: 'AT', of: ({ foundAt }) => shownTime(foundAt, nowMs), ...foremost, rank: 2 },
    { title: 'WRONG', of: ({ reason }) => reason, cuttable: true, foremost: true, rank: 3 },
  ];
}
