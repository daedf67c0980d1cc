/**
 * Money. On the wire and in every store: an integer count of micro-dollars, 0 to 2^53-1. In documents that people
 * write: dollars, with at most six decimals. The two meet here, by decimal text and never by floating point.
 */
import { CAPS } from './defaults.ts';

const DECIMAL = /^(\d+)(?:\.(\d{1,6}))?$/;

/** From here on a JavaScript number no longer tells one micro-dollar from the next: only whole dollars are exact. */
const COARSE_DOLLARS = 2 ** 33;

/** Dollars as JavaScript prints them → micro-dollars; null when negative, not finite, over-precise or too large. */
export function dollarsToMicros(dollars: number): number | null {
  const match = DECIMAL.exec(String(dollars));
  if (match === null) return null;
  const [, whole = '', fraction = ''] = match;
  if (fraction !== '' && dollars >= COARSE_DOLLARS) return null;
  const amount = Number(whole + fraction.padEnd(6, '0'));
  return Number.isSafeInteger(amount) ? amount : null;
}

/** Micro-dollars → dollars with two to six decimals: `$0.10`, `-$0.000001`. */
export function formatMicros(amount: number): string {
  const digits = String(Math.abs(amount)).padStart(7, '0');
  const fraction = digits.slice(-6).replace(/0{1,4}$/, '');
  return `${amount < 0 ? '-' : ''}$${digits.slice(0, -6)}.${fraction}`;
}

/** The largest sum that is shown. This figure means "this much, or more". */
export const MOST_MICROS = CAPS.amountMicros;

/** The sum of such amounts, within ±`MOST_MICROS`. */
export function sumMicros(...amounts: readonly number[]): number {
  const sum = amounts.reduce((sum, amount) => sum + amount, 0);
  return Math.min(Math.max(sum, -MOST_MICROS), MOST_MICROS);
}

/** As `formatMicros`, but `≥ $9007199254.740991` for the largest sum. */
export function formatSum(amount: number): string {
  if (Math.abs(amount) < MOST_MICROS) return formatMicros(amount);
  return `${amount < 0 ? '≤' : '≥'} ${formatMicros(amount)}`;
}

/** Dollars that may be owed, as of a budget that was overdrawn → micro-dollars; null where `dollarsToMicros` is. */
export function signedMicros(dollars: number): number | null {
  const amount = dollarsToMicros(Math.abs(dollars));
  return amount === null || dollars >= 0 ? amount : -amount;
}

/**
 * A percentage of an amount, rounded down. It is exact even if a hundred times the amount is beyond 2^53-1.
 *
 * @param amountMicros not negative @param percent 0 to 100
 */
export function percentOf(amountMicros: number, percent: number): number {
  const hundredths = Math.floor(amountMicros / 100);
  return hundredths * percent + Math.floor(((amountMicros - hundredths * 100) * percent) / 100);
}
