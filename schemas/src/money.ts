/**
 * Money. On the wire and in every store, an amount is an integer of micro-dollars, 0 to 2^53-1. In documents that
 * people write, an amount is in dollars with at most six decimals. Conversion uses decimal text and never floating
 * point.
 */
import { CAPS } from './defaults.ts';

const DECIMAL = /^(\d+)(?:\.(\d{1,6}))?$/;

/**
 * From this amount on, a JavaScript number cannot distinguish neighbouring micro-dollars. Only whole dollars are
 * exact.
 */
const COARSE_DOLLARS = 2 ** 33;

/**
 * Converts dollars, as JavaScript prints them, to micro-dollars. Null if the amount is negative, infinite, too
 * precise or too large.
 */
export function dollarsToMicros(dollars: number): number | null {
  const match = DECIMAL.exec(String(dollars));
  if (match === null) return null;
  const [, whole = '', fraction = ''] = match;
  if (fraction !== '' && dollars >= COARSE_DOLLARS) return null;
  const amount = Number(whole + fraction.padEnd(6, '0'));
  return Number.isSafeInteger(amount) ? amount : null;
}

/** Writes micro-dollars as dollars with two to six decimals: `$0.10`, `-$0.000001`. */
export function formatMicros(amount: number): string {
  const digits = String(Math.abs(amount)).padStart(7, '0');
  const fraction = digits.slice(-6).replace(/0{1,4}$/, '');
  return `${amount < 0 ? '-' : ''}$${digits.slice(0, -6)}.${fraction}`;
}

/** The largest sum that is shown. It means "this much, or more". */
export const MOST_MICROS = CAPS.amountMicros;

/** Returns the sum of amounts, within ±`MOST_MICROS`. */
export function sumMicros(...amounts: readonly number[]): number {
  const sum = amounts.reduce((sum, amount) => sum + amount, 0);
  return Math.min(Math.max(sum, -MOST_MICROS), MOST_MICROS);
}

/** Writes an amount as `formatMicros` does. The largest sum is written as `≥ $9007199254.740991`. */
export function formatSum(amount: number): string {
  if (Math.abs(amount) < MOST_MICROS) return formatMicros(amount);
  return `${amount < 0 ? '≤' : '≥'} ${formatMicros(amount)}`;
}

/**
 * Converts dollars to micro-dollars, and accepts negative amounts, such as the rest of an overdrawn budget. Null if
 * `dollarsToMicros` refuses the amount without its sign.
 */
export function signedMicros(dollars: number): number | null {
  const amount = dollarsToMicros(Math.abs(dollars));
  return amount === null || dollars >= 0 ? amount : -amount;
}

/**
 * Returns a percentage of an amount, rounded down. It is exact even if a hundred times the amount exceeds 2^53-1.
 *
 * @param amountMicros not negative
 * @param percent 0 to 100
 */
export function percentOf(amountMicros: number, percent: number): number {
  const hundredths = Math.floor(amountMicros / 100);
  return hundredths * percent + Math.floor(((amountMicros - hundredths * 100) * percent) / 100);
}
