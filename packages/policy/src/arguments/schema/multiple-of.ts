import type { Run } from './run.ts';

/**
 * Returns a function that tells whether a number is a multiple of the step in decimal arithmetic. 19.99 is a multiple
 * of 0.01, although binary fractions represent both only approximately. Each number stands for the shortest decimal
 * that parses to it, which is also the decimal that JSON prints.
 */
export function multipleOf(step: number): (value: number, run: Run) => boolean {
  const divisor = decimalOf(step);
  return (value, run) => {
    // For safe integers, the floating-point remainder is exact.
    if (Number.isSafeInteger(value) && Number.isSafeInteger(step)) return value % step === 0;
    if (!Number.isFinite(value)) return false;
    run.spend(OF_DECIMALS);
    const { digits, exponent } = decimalOf(value);
    if (digits === 0n) return true;
    const shift = exponent - divisor.exponent;
    // Neither number has trailing zeros. If the value has a digit at a smaller power of ten than the step, it is no
    // multiple of the step.
    if (shift < 0) return false;
    return (digits * 10n ** BigInt(Math.min(shift, ENOUGH_TENS))) % divisor.digits === 0n;
  };
}

/**
 * A divisor has at most 17 digits, so it contains fewer than 57 factors of 2 or 5. Powers of ten above this number do
 * not change the answer. So 1e308 and 1e-300 take no longer than 1 and 0.1.
 */
const ENOUGH_TENS = 57;

/** The cost of one division in steps. A division takes about a microsecond. */
const OF_DECIMALS = 64;

type Decimal = { digits: bigint; exponent: number };

/** Returns a number as `digits` × 10^`exponent`. The digits have no trailing zeros. */
function decimalOf(value: number): Decimal {
  const [mantissa = '', power = '0'] = Math.abs(value).toExponential().split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  const written = (whole + fraction).replace(/0+$/, '');
  return {
    digits: BigInt(written || '0'),
    exponent: Number(power) - fraction.length + (whole.length + fraction.length - written.length),
  };
}
