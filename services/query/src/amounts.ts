/** Amounts as answers give them: exact micro-dollars for programs, and the same in dollars for people. */
import { formatSum } from '@mandate/schemas';
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

export const microsField = z
  .int()
  .describe('Micro-dollars: 1,000,000 is one dollar. 9007199254740991 stands for that much, or more.');
export const dollarsField = z
  .string()
  .describe('The same in dollars, for people.')
  .meta({ examples: ['$0.10'] });

export const spent = {
  chargedMicros: microsField.describe('Reserved by decisions, in micro-dollars.'),
  settledMicros: microsField.describe('Added or given back by outcomes, in micro-dollars.'),
  spentMicros: microsField.describe('Both together, in micro-dollars.'),
  charged: dollarsField,
  settled: dollarsField,
  spent: dollarsField,
};
