/** Money as text. Amounts are whole micro-dollars, so that nothing is rounded. */

import { counted } from './numbers.ts';

const MICROS = 1_000_000;
const FEWEST_DECIMALS = 2;

/** Returns the exact amount in dollars: `$0.004`, `$1,234.50`, `−$0.009`. */
export function dollars(micros: number): string {
  const whole = Math.trunc(Math.abs(micros) / MICROS);
  const decimals = String(Math.abs(micros) % MICROS)
    .padStart(6, '0')
    .replace(/0+$/, '')
    .padEnd(FEWEST_DECIMALS, '0');
  return `${micros < 0 ? '−' : ''}$${counted(whole)}.${decimals}`;
}

/** Returns the amount for the axis of a chart: `$0.4`, `$12`, `$3K`. */
export function shortDollars(micros: number): string {
  return `$${(micros / MICROS).toLocaleString('en-US', { notation: 'compact', maximumSignificantDigits: 3 })}`;
}

/** Returns the micro-dollars of a text such as `0.25` or `$1,000`. Null if the text is not an amount. */
export function microsOf(text: string): number | null {
  const match = /^\s*\$?\s*(\d{1,10})(?:\.(\d{1,6}))?\s*$/.exec(text.replaceAll(',', ''));
  if (match === null) return null;
  const [, whole = '0', decimals = ''] = match;
  const micros = Number(whole) * MICROS + Number(decimals.padEnd(6, '0'));
  return Number.isSafeInteger(micros) ? micros : null;
}
