/** Amounts in answers: exact micro-dollars for programs, and the same amount in dollars for people. */
import { described, formatSum } from '@mandate/schemas';
import { z } from 'zod';

type Micros = `${string}Micros`;
type Dollars<Row> = { [K in keyof Row as K extends `${infer Name}Micros` ? Name : never]: string };

/**
 * Adds dollars to every amount of the row: `{ spentMicros: 1500000 }` → `{ spentMicros: 1500000, spent: '$1.50' }`.
 */
export function withDollars<Row extends Record<string, unknown>>(row: Row): Row & Dollars<Row> {
  const dollars = Object.entries(row)
    .filter((entry): entry is [Micros, number] => entry[0].endsWith('Micros') && typeof entry[1] === 'number')
    .map(([name, micros]) => [name.slice(0, -'Micros'.length), formatSum(micros)]);
  return { ...row, ...Object.fromEntries(dollars) };
}

/** Micro-dollars. The highest value, 9007199254740991, means this amount or more. */
export const microsField = z.int();
export const dollarsField = described(z.string(), 'The same in dollars, for people.', '$0.10');

export const spent = {
  chargedMicros: described(microsField, 'What decisions reserved, in micro-dollars.', 360_000),
  settledMicros: described(
    microsField,
    'What outcomes added, in micro-dollars. Negative: they gave back.',
    -20_000,
  ),
  spentMicros: described(
    microsField,
    'The sum of both, in micro-dollars. 9007199254740991: this amount, or more.',
    340_000,
  ),
  charged: dollarsField,
  settled: dollarsField,
  spent: dollarsField,
};
