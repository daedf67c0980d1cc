import { standsAlone } from '../text/parted.ts';
import type { Span, TakenSpans } from './taken-spans.ts';

/** Digits that may be joined, as in dates, times, decimals and thousands. */
const NUMBERS = /[0-9]+(?:[.,:/-][0-9]+)*/g;
const WHOLE = /^[0-9]{1,9}$/;
const DECIMAL = /^(?=.{1,9}$)[0-9]+(?:\.[0-9]+)?$/;

export interface NumberFound {
  readonly value: number;
  readonly span: Span;
  /** How the number leaves its bounds. Absent if it is within them. */
  readonly why?: 'below' | 'above';
}

/**
 * Returns the first number within the bounds. Otherwise returns the first number, and why it is invalid. Null if the
 * text has no number.
 */
export function findNumber(
  text: string,
  { type, min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY }: NumberFields,
  taken: TakenSpans,
): NumberFound | null {
  let outside: NumberFound | null = null;
  for (const { 0: digits, index: start } of text.matchAll(NUMBERS)) {
    const span = { start, end: start + digits.length };
    if (!(type === 'integer' ? WHOLE : DECIMAL).test(digits)) continue;
    if (!standsAlone(text, span.start, span.end) || !taken.isFree(span)) continue;
    const value = Number(digits);
    if (value >= min && value <= max) return { value, span };
    outside ??= { value, span, why: value < min ? 'below' : 'above' };
  }
  return outside;
}

type NumberFields = { readonly type: string; readonly min?: number; readonly max?: number };
