import type { Output } from '../command-context.ts';
import { type FittingColumn, fitColumns } from './fit-columns.ts';
import { paint, table } from './table.ts';
import { write } from './write.ts';

/** As the plane answered. */
export type Row = Readonly<Record<string, unknown>>;

/** What a table for people needs to be told beyond the rows. */
export type Presentation = {
  /** Of fields whose names alone do not say what they hold. */
  titles?: Readonly<Record<string, string>>;
  /** The fields that matter most where there is no room for all, the first before the others. */
  first?: readonly string[];
  /** How the columns belong together, below the table. */
  legend?: string;
};

/** What is written freely, and so may be long. Ids, codes, amounts and times stay whole: they are copied and compared. */
const FREE_TEXT: ReadonlySet<string> = new Set(['agentId', 'tool', 'model', 'reason']);

/**
 * Columns for rows of whatever shape, from the first row's fields. Of an amount that stands there in both forms, people
 * read the dollars; a place on the log is for machines; a column that is empty in every row tells nothing.
 */
export function answerColumns(
  rows: readonly Row[],
  { titles = {}, first: foremost = [] }: Presentation = {},
): readonly FittingColumn<Row>[] {
  const [first = {}] = rows;
  const names = Object.keys(first).filter(
    (name) =>
      !(name.endsWith('Micros') && name.slice(0, -'Micros'.length) in first) &&
      name !== 'log' &&
      rows.some((row) => row[name] !== null),
  );
  return names.map((name, place) => ({
    title: titles[name] ?? name.replace(/([A-Z])/g, ' $1').toUpperCase(),
    of: (row) => String(row[name] ?? ''),
    align: typeof first[name] === 'number' || `${name}Micros` in first ? 'right' : 'left',
    cuttable: FREE_TEXT.has(name),
    rank: foremost.includes(name) ? foremost.indexOf(name) : foremost.length + place,
    foremost: foremost.includes(name),
  }));
}

/** Rows as the plane gave them, as a table: on a terminal as wide as that is, elsewhere with everything in full. */
export async function showAnswerRows(
  rows: readonly Row[],
  stdout: Output,
  presentation: Presentation = {},
): Promise<void> {
  if (rows.length === 0) return write(stdout, 'nothing found\n');
  const all = answerColumns(rows, presentation);
  const room = (stdout.isTTY && stdout.columns) || Number.POSITIVE_INFINITY;
  const { columns, leftOut } = fitColumns(rows, all, room);
  await write(stdout, table(rows, columns, stdout));
  const notes = presentation.legend === undefined ? [] : [presentation.legend];
  if (leftOut.length > 0)
    notes.push(`no room for ${leftOut.join(', ')}: see a wider terminal, | less -S or --json`);
  for (const note of notes) await write(stdout, `${paint('dim', note, stdout)}\n`);
}
