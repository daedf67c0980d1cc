import type { Run } from './run.ts';

/**
 * Whether one number is a multiple of another, as decimals: 19.99 is a multiple of 0.01, though not of the binary fraction
 * that stands for 0.01. Each number counts as the shortest decimal that reads back as it, which is how JSON shows it.
 */
export function multipleOf(step: number): (value: number, run: Run) => boolean {
  const divisor = decimalOf(step);
  return (value, run) => {
    // For whole numbers that are held exactly, the remainder of floating point is exact.
    if (Number.isSafeInteger(value) && Number.isSafeInteger(step)) return value % step === 0;
    if (!Number.isFinite(value)) return false;
    run.spend(OF_DECIMALS);
    const { digits, exponent } = decimalOf(value);
    if (digits === 0n) return true;
    const shift = exponent - divisor.exponent;
    // Without trailing zeros, its last digit is of a smaller power of ten than any multiple has.
    if (shift < 0) return false;
    return (digits * 10n ** BigInt(Math.min(shift, ENOUGH_TENS))) % divisor.digits === 0n;
  };
}

/**
 * A divisor has at most 17 digits, so it holds fewer than 57 factors of 2 or 5, and more powers of ten change no answer:
 * 1e308 and 1e-300 take no longer than 1 and 0.1.
 */
const ENOUGH_TENS = 57;

/** Steps of one division: it takes about a microsecond. */
const OF_DECIMALS = 64;

type Decimal = { digits: bigint; exponent: number };

/** The number as `digits` × 10^`exponent`, the digits without trailing zeros. */
function decimalOf(value: number): Decimal {
  const [mantissa = '', power = '0'] = Math.abs(value).toExponential().split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  const written = (whole + fraction).replace(/0+$/, '');
  return {
    digits: BigInt(written || '0'),
    exponent: Number(power) - fraction.length + (whole.length + fraction.length - written.length),
  };
}
