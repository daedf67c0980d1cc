import type { Output } from '../command-context.ts';
import { CommandFailure } from '../exit-codes.ts';
import type { FittingColumn } from './fit-columns.ts';
import { forPeople } from './for-people.ts';
import { relativeTime } from './relative-time.ts';
import { nowOn, showFitted } from './show-fitted.ts';
import { write } from './write.ts';

/** As the plane answered. */
export type Row = Readonly<Record<string, unknown>>;

/** What a table for people needs to be told beyond the rows. */
export type Presentation = {
  /** Titles for fields with names that do not say what they hold. */
  titles?: Readonly<Record<string, string>>;
  /** The fields that matter most where there is no room for all, the first before the others. */
  first?: readonly string[];
  /** What is said below the table: how the columns belong together, what all of them come to. */
  notes?: readonly string[];
  /** Only these fields, in this order. */
  columns?: readonly string[] | undefined;
};

/** What is written freely, and so may be long. Ids, codes, amounts and times stay whole: they are copied and compared. */
const FREE_TEXT: ReadonlySet<string> = new Set([
  ...['agentId', 'agent', 'tool', 'model', 'principalId', 'principal', 'subject', 'by', 'reason'],
]);

/** The asked fields among these, in the order in which they were asked. */
export function onlyColumns(
  names: readonly string[],
  asked: readonly string[] | undefined,
): readonly string[] {
  if (asked === undefined) return names;
  const unknown = asked.filter((name) => !names.includes(name));
  if (unknown.length === 0) return asked;
  throw new CommandFailure(2, `there is no column ${unknown.join(', ')}`, `There are ${names.join(', ')}.`);
}

/**
 * Columns for rows of any shape, from the first row's fields. If an amount is there in both forms, people read the
 * dollars; a log position is for machines; a column that is empty in every row is left out.
 */
export function answerColumns(
  rows: readonly Row[],
  { titles = {}, first: foremost = [], columns }: Presentation = {},
  nowMs: number | null = null,
): readonly FittingColumn<Row>[] {
  const first = columns === undefined ? (rows[0] ?? {}) : Object.assign({}, ...rows);
  const telling = Object.keys(first).filter(
    (name) =>
      !(name.endsWith('Micros') && name.slice(0, -'Micros'.length) in first) &&
      name !== 'log' &&
      rows.some((row) => !isEmpty(row[name])),
  );
  const names = columns === undefined ? telling : onlyColumns(Object.keys(first), columns);
  return names.map((name, place) => ({
    title: titles[name] ?? name.replace(/([A-Z])/g, ' $1').toUpperCase(),
    of: (row) => (name === 'reason' ? forPeople(textOf(row[name], nowMs)) : textOf(row[name], nowMs)),
    align: typeof first[name] === 'number' || `${name}Micros` in first ? 'right' : 'left',
    cuttable: FREE_TEXT.has(name),
    // Who asked for columns said what matters.
    rank: columns === undefined && foremost.includes(name) ? foremost.indexOf(name) : foremost.length + place,
    foremost: columns !== undefined || foremost.includes(name),
  }));
}

const TIME = /^\d{4}-\d{2}-\d{2}T[\d:.]+Z$/;

function isEmpty(value: unknown): boolean {
  return value === null || (Array.isArray(value) && value.length === 0);
}

/** Lists as one says them; times as how long ago they were, where people are to read them. */
function textOf(value: unknown, nowMs: number | null): string {
  if (Array.isArray(value)) return value.map((one) => textOf(one, null)).join(' ');
  if (typeof value === 'object' && value !== null) return JSON.stringify(value);
  const text = String(value ?? '');
  return nowMs !== null && TIME.test(text) ? relativeTime(Date.parse(text), nowMs) : text;
}

/** Rows as the plane gave them, as a table: on a terminal as wide as that is, elsewhere with everything in full. */
export async function showAnswerRows(
  rows: readonly Row[],
  stdout: Output,
  presentation: Presentation = {},
): Promise<void> {
  if (rows.length === 0) return write(stdout, 'nothing found\n');
  await showFitted(rows, answerColumns(rows, presentation, nowOn(stdout)), stdout, {
    notes: presentation.notes ?? [],
    rest: '--columns picks, --json has all',
  });
}
