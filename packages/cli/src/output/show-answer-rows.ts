import { formatMicros } from '@mandate/schemas';
import type { Output } from '../command-context.ts';
import { WrongUse } from '../exit-codes.ts';
import { forPeople } from './for-people.ts';
import { relativeTime } from './relative-time.ts';
import { nowOn, showFitted } from './show-fitted.ts';
import type { Column } from './table.ts';
import { write } from './write.ts';

/** A row as the plane returned it. */
export type Row = Readonly<Record<string, unknown>>;

/** The settings of a table for people. */
export type Presentation = {
  /** Titles for fields with names that are not clear enough. */
  titles?: Readonly<Record<string, string>>;
  /** The fields that get room first, after `id` and `reason`. */
  first?: readonly string[];
  /** Lines below the table, such as a total or an explanation of the columns. */
  notes?: readonly string[];
  /** The fields to show, in this order. If absent, all fields may be shown. */
  columns?: readonly string[] | undefined;
};

/**
 * Fields with long texts, which may be shortened. Ids, codes, amounts and times stay whole, because people copy and
 * compare them.
 */
const FREE_TEXT: ReadonlySet<string> = new Set([
  ...['agentId', 'agent', 'tool', 'model', 'principalId', 'principal', 'subject', 'by', 'reason'],
]);

/** Returns the requested fields in their order. Throws if a field is not among `names`. */
export function onlyColumns(
  names: readonly string[],
  asked: readonly string[] | undefined,
): readonly string[] {
  if (asked === undefined) return names;
  const unknown = asked.filter((name) => !names.includes(name));
  if (unknown.length === 0) return asked;
  throw new WrongUse(`there is no column ${unknown.join(', ')}`, `There are ${names.join(', ')}.`);
}

/**
 * Makes columns for rows of any shape from the fields of the first row. Amounts are in dollars. The log position is
 * left out, because only programs read it. Columns without any value are left out.
 */
export function answerColumns(
  rows: readonly Row[],
  { titles = {}, first: foremost = [], columns }: Presentation = {},
  nowMs: number | null = null,
): readonly Column<Row>[] {
  const first = columns === undefined ? (rows[0] ?? {}) : Object.assign({}, ...rows);
  const telling = Object.keys(first).filter(
    (name) =>
      !(inDollars(name) !== name && inDollars(name) in first) &&
      name !== 'log' &&
      rows.some((row) => !isEmpty(row[name])),
  );
  const names = columns === undefined ? telling : onlyColumns(Object.keys(first), columns);
  return names.map((name, place) => {
    const isKept = columns === undefined && (name === 'id' || name === 'reason');
    const isExtra = columns === undefined && foremost.length > 0 && !foremost.includes(name);
    return {
      title:
        titles[name] ??
        inDollars(name)
          .replace(/([A-Z])/g, ' $1')
          .toUpperCase(),
      of: (row) => cellOf(name, row[name], nowMs),
      align: typeof first[name] === 'number' || `${name}Micros` in first ? 'right' : 'left',
      // If a person named the columns, they get room in the order in which they were named.
      rank:
        foremost.includes(name) && columns === undefined ? foremost.indexOf(name) : foremost.length + place,
      ...(FREE_TEXT.has(name) && { cut: true }),
      ...(isKept && { keep: true }),
      ...(isExtra && !isKept && { extra: true }),
    };
  });
}

/** Returns the name without its unit, such as `charged` for `chargedMicros`. */
function inDollars(name: string): string {
  return name.replace(/Micros$/, '');
}

const TIME = /^\d{4}-\d{2}-\d{2}T[\d:.]+Z$/;

function isEmpty(value: unknown): boolean {
  return value === null || (Array.isArray(value) && value.length === 0);
}

function cellOf(name: string, value: unknown, nowMs: number | null): string {
  if (name.endsWith('Micros') && typeof value === 'number') return formatMicros(value);
  return name === 'reason' ? forPeople(textOf(value, nowMs)) : textOf(value, nowMs);
}

/** Returns a value as text. Lists have spaces between values. With `nowMs`, times say how long ago they were. */
function textOf(value: unknown, nowMs: number | null): string {
  if (Array.isArray(value)) return value.map((one) => textOf(one, null)).join(' ');
  if (typeof value === 'object' && value !== null) return JSON.stringify(value);
  const text = String(value ?? '');
  return nowMs !== null && TIME.test(text) ? relativeTime(Date.parse(text), nowMs) : text;
}

/** Shows rows of the plane as a table. On a terminal the table fits the width; elsewhere it is complete. */
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
